// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/owner.h"
#include "storage/place.h"
#include "storage/record_tables.h"
#include "storage/records.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace heddle::storage {

class Connection;
class Inbox;
class SeriesWriter;
class WriterLock;

/// The one writing connection of a run database (design section 6). Holds FILE.heddle.lock while it lives; one thread. Calls
/// between begin() and commit() form one transaction; an aborted or failed one leaves the database unchanged. A call that
/// throws inside a transaction rolls the whole transaction back; begin again. Outside of begin() and commit() each call is its
/// own transaction with Durability::Normal. The store stays usable after errors such as a full disk. Transactions are in
/// run_store.cpp, rows in run_store_rows.cpp, moved or removed files in place.cpp.
class RunStore {
public:
    /// What the store asks of the disk.
    enum class Access { Commit, DurableCommit, Sync, Checkpoint };
    struct Options {
        std::string owner;       ///< the program's name, "heddle train"
        double lockTimeout = 0;  ///< seconds to wait for the lock
        /// For tests: returns whether the disk fails now. A commit and a checkpoint then find it full; a sync is not confirmed.
        std::function<bool(Access)> isFailing = {};
    };

    /// Opens or creates the database. Throws StorageError: Locked (names the owner), NotADatabase (another program's file),
    /// NewerSchema, Full, InputOutput.
    static std::unique_ptr<RunStore> open(const std::string& file, const Options& options);
    ~RunStore();

    enum class Durability { Normal, Full };  ///< Full: fsync before commit() returns (state, evaluation, checkpoint)
    void begin();
    /// Throws only if nothing was committed. A commit that the disk did not confirm is visible; isConfirmed() is then false.
    void commit(Durability durability);
    void rollback();
    /// Whether the disk has confirmed every durable commit. If not, checkpointWal() writes all commits again, into the database
    /// file: a second fsync of the log would report success although pages are lost.
    bool isConfirmed() const { return isConfirmed_; }

    void addRun(const RunRecord& run);
    void updateRun(const RunRecord& run);  ///< every mutable field
    void setState(const std::string& run, const std::string& state, const std::string& reason);
    void addAttempt(const AttemptRecord& attempt);
    void updateAttempt(const AttemptRecord& attempt);
    /// Appends to the last chunk, which is sealed at 4,096 values; a gap or another stride starts a new chunk. Steps of a
    /// series of one attempt must increase (else Invalid). Visible to readers after commit().
    void append(const SeriesAppend& series);
    void add(const EvaluationRecord& record);
    void add(const HistogramRecord& record);
    void add(const MapRecord& record);
    void add(const SampleRecord& record);
    void add(const CheckpointRecord& record);
    void removeCheckpoint(const std::string& run, std::int64_t step, const std::string& kind);
    void add(const EventRecord& record);
    /// Rows only, also items whose kind ends with " RUN"; the caller removes the folder afterwards.
    void deleteRun(const std::string& run);
    /// Copies all records of a run from another database, but not its folder. Throws StorageError NotFound, or Invalid when
    /// this database already has a run of that id.
    void importRun(const std::string& file, const std::string& run);
    std::uint64_t mapBytes(const std::string& run) const;
    /// Removes the maps of every second stored step of the older half (of its only step, if it has one). Frees space as long as
    /// maps of at least two steps are stored.
    void thinMaps(const std::string& run);

    /// Saved variants, colours, pins and data definitions: one JSON text per (kind, key).
    void putItem(const std::string& kind, const std::string& key, const std::string& body);
    void removeItem(const std::string& kind, const std::string& key);

    /// Requests of other processes since the last call; call answer() for each, in the transaction that executes it. A request
    /// leaves the inbox only after its answer is committed (at the next call or with this object), so that an owner that dies
    /// before leaves it to the next. May run on its own thread beside the other calls; waits for processes that write to the
    /// inbox. A request with a `refusal` must only be answered: it is older than any requester waits, or of another time.
    std::vector<InboxRequest> takeRequests();
    /// What the last takeRequests() set aside (a damaged inbox, one of another user), for users; or empty. The same thread.
    const std::string& inboxNotice() const;
    void answer(std::int64_t request, bool ok, const std::string& text);

    /// Copies the write-ahead log into the database and releases free pages; call when idle. Only the writer does this. Throws
    /// StorageError InputOutput while isConfirmed() remains false.
    void checkpointWal();
    /// Why file() no longer names the open database ("the database file was removed"), or empty. Writes continue to the open
    /// files and are not lost while this object lives.
    std::string placeProblem();
    /// After a placeProblem(), makes all committed data accessible under a name: the file's present name, else a copy named
    /// file(), or beside it if that name is taken. Overwrites nothing. Returns the name. Throws StorageError.
    std::string recover();
    const std::string& file() const { return file_; }
    /// A notice for the user (network file system, backup before a schema change), or empty.
    const std::string& notice() const { return notice_; }

private:
    RunStore(std::string file, const Options& options);
    bool isFailing(Access access) const { return isFailing_ && isFailing_(access); }
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
    void change(F&& f);
    /// Adds a record of run `number` to the table of its kind. Returns false if the key exists.
    template <class... Values>
    bool insert(RecordKind kind, std::int64_t number, const Values&... values);
    /// Adds a record of run `number`, or replaces the one with the same key.
    template <class... Values>
    void put(RecordKind kind, std::int64_t number, const Values&... values);
    void count(std::int64_t number, RecordKind kind, std::int64_t change);
    /// The run's row number. Throws StorageError: NotFound, or Corrupt when the run's row is damaged.
    std::int64_t numberOf(const std::string& run) const;
    std::int64_t tokenList(std::int64_t run, const std::vector<std::string>& tokens);
    void touch(std::int64_t run, std::int64_t rev);
    void dropItem(const std::string& kind, const std::string& key);

    std::string file_, notice_;
    const std::function<bool(Access)> isFailing_;
    std::unique_ptr<WriterLock> lock_;
    std::unique_ptr<Connection> connection_;
    std::unique_ptr<Inbox> inbox_;
    std::unique_ptr<SeriesWriter> series_;
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

/// Puts a request for the owner of `file` into its inbox and returns its id. Works from any process. A request without time
/// gets the present one.
std::int64_t putRequest(const std::string& file, const InboxRequest& request);
/// Removes a request from the inbox unless an owner has taken it; true if removed, so that it will never be executed.
bool withdrawRequest(const std::string& file, std::int64_t request);
/// The owner's answer {ok, text}, once available.
std::optional<std::pair<bool, std::string>> readAnswer(const std::string& file, std::int64_t request);

/// The holder of FILE.heddle.lock, or empty. Does not disturb the owner.
Owner currentOwner(const std::string& file);

/// "FILE.heddle.d": the folder of a database's checkpoints and tokenizers.
std::string artifactFolder(const std::string& file);

}  // namespace heddle::storage
