// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/connection.h"
#include "storage/inbox.h"
#include "storage/place.h"
#include "storage/record_tables.h"
#include "storage/run_store.h"
#include "storage/series_writer.h"
#include "storage/writer_lock.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::storage {

/// RunStore over SQLite: transactions are in run_store.cpp, rows in run_store_rows.cpp, handling of moved or removed files in
/// place.cpp.
class SqliteRunStore final : public RunStore {
public:
    SqliteRunStore(std::string file, const Options& options);
    ~SqliteRunStore() override;

    void begin() override;
    void commit(Durability durability) override;
    void rollback() override;
    bool isConfirmed() const override { return isConfirmed_; }

    void addRun(const RunRecord& run) override;
    void updateRun(const RunRecord& run) override;
    void setState(const std::string& run, const std::string& state, const std::string& reason) override;
    void addAttempt(const AttemptRecord& attempt) override;
    void updateAttempt(const AttemptRecord& attempt) override;
    void append(const SeriesAppend& series) override;
    void add(const EvaluationRecord& record) override;
    void add(const HistogramRecord& record) override;
    void add(const MapRecord& record) override;
    void add(const SampleRecord& record) override;
    void add(const CheckpointRecord& record) override;
    void removeCheckpoint(const std::string& run, std::int64_t step, const std::string& kind) override;
    void add(const EventRecord& record) override;
    void deleteRun(const std::string& run) override;
    void importRun(const std::string& file, const std::string& run) override;
    std::uint64_t mapBytes(const std::string& run) const override;
    void thinMaps(const std::string& run) override;
    void putItem(const std::string& kind, const std::string& key, const std::string& body) override;
    void removeItem(const std::string& kind, const std::string& key) override;

    std::vector<InboxRequest> takeRequests() override;
    const std::string& inboxNotice() const override { return inbox_.notice(); }
    void answer(std::int64_t request, bool ok, const std::string& text) override;

    void checkpointWal() override;
    std::string placeProblem() override;
    std::string recover() override;
    const std::string& file() const override { return file_; }
    const std::string& notice() const override { return notice_; }

private:
    void prepareSchema();
    void chooseJournal();
    void forgetOldAnswers();
    void sealChangedRuns();
    void endTransaction();
    bool syncWal();
    void confirm();
    void checkpointLargeWal();
    bool completeFile();
    bool isOnlyOurs(const std::string& name) const;
    std::string copyToFreeName();

    /// Runs `f(rev)` in the open transaction or in one of its own; rolls back when it throws.
    template <class F>
    void change(F&& f) {
        bool own = !open_;
        if (own) begin();
        try {
            changed_ = true;
            connection_.guarded([&] { f(rev_); });
        } catch (...) {
            rollback();
            throw;
        }
        if (own) commit(Durability::Normal);
    }
    /// Adds a record of run `number` by its table's insert(); false if the key exists.
    template <class... Values>
    bool insert(RecordKind kind, std::int64_t number, const Values&... values) {
        connection_.query(insert_[static_cast<std::size_t>(kind)].c_str()).with(number, values...).run();
        const bool isNew = connection_.changes() > 0;
        if (isNew) count(number, kind, 1);
        return isNew;
    }
    /// The same, but replaces a record with the same key.
    template <class... Values>
    void put(RecordKind kind, std::int64_t number, const Values&... values) {
        if (!insert(kind, number, values...))
            connection_.query(replace_[static_cast<std::size_t>(kind)].c_str()).with(number, values...).run();
    }
    void count(std::int64_t number, RecordKind kind, std::int64_t change);
    /// The run's row number. Throws StorageError: NotFound, or Corrupt when the run's row is damaged.
    std::int64_t numberOf(const std::string& run) const;
    std::int64_t tokenList(std::int64_t run, const std::vector<std::string>& tokens);
    void touch(std::int64_t run, std::int64_t rev);
    void dropItem(const std::string& kind, const std::string& key);

    std::string file_, notice_;
    WriterLock lock_;
    mutable Connection connection_;
    Inbox inbox_;
    SeriesWriter series_;
    std::array<std::string, kRecordKinds> insert_, replace_;  ///< statements, by kind
    mutable std::map<std::string, std::int64_t> numbers_;
    // What the open transaction has changed:
    std::map<std::int64_t, RecordCounts> counts_;  ///< numbers of records, by run
    std::set<std::int64_t> changedRuns_;           ///< rows of table run whose checksum must be updated
    std::int64_t runsAdded_ = 0, itemsAdded_ = 0;
    bool open_ = false, changed_ = false, wal_ = true, isConfirmed_ = true;
    FileIdentity identity_;                                   ///< of the open database file
    std::optional<FileIdentity> lockIdentity_, logIdentity_;  ///< of its .lock, and of its -wal once there is one
    std::int64_t lastWrite_ = 0;                    ///< last write to the database file when it was last seen under its name
    std::int64_t rev_ = 0;                          ///< commit number of the open transaction
    std::vector<std::int64_t> answered_;            ///< in the open transaction
    int walPages_ = 0, pagesAtLastCheckpoint_ = 0;  ///< in the write-ahead log, from SQLite's hook
};

}  // namespace heddle::storage
