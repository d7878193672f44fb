// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/connection.h"
#include "storage/inbox.h"
#include "storage/run_store.h"
#include "storage/series_writer.h"
#include "storage/writer_lock.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::storage {

/// RunStore over SQLite: the transactions are in run_store.cpp, the rows in run_store_rows.cpp.
class SqliteRunStore final : public RunStore {
public:
    SqliteRunStore(std::string file, const Options& options);
    ~SqliteRunStore() override;

    void begin() override;
    void commit(Durability durability) override;
    void rollback() override;

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
    void answer(std::int64_t request, bool ok, const std::string& text) override;

    void checkpointWal() override;
    const std::string& file() const override { return file_; }
    const std::string& notice() const override { return notice_; }

private:
    void prepareSchema();
    void chooseJournal();
    void forgetOldAnswers();
    void endTransaction();
    void syncWal();
    void checkpointLargeWal();

    /// Runs `f(rev)` as part of the open transaction or as one of its own; rolls back when it throws.
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
    std::int64_t numberOf(const std::string& run) const;  ///< row number; throws StorageError NotFound
    std::int64_t tokenList(std::int64_t run, const std::vector<std::string>& tokens);
    void touch(std::int64_t run, std::int64_t rev);

    std::string file_, notice_;
    WriterLock lock_;
    mutable Connection connection_;
    Inbox inbox_;
    SeriesWriter series_;
    mutable std::map<std::string, std::int64_t> numbers_;
    bool open_ = false, changed_ = false, wal_ = true;
    std::int64_t rev_ = 0;                          ///< commit number of the open transaction
    std::vector<std::int64_t> answered_;            ///< in the open transaction
    int walPages_ = 0, pagesAtLastCheckpoint_ = 0;  ///< in the write-ahead log, as SQLite's hook says
};

}  // namespace heddle::storage
