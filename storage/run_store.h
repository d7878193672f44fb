// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/owner.h"
#include "storage/records.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::storage {

/// The one writing connection of a run database (design section 6). Holds FILE.heddle.lock while it lives; one thread. Calls
/// between begin() and commit() form one transaction; an aborted or failed one leaves the database unchanged. A call that
/// throws inside a transaction rolls the whole transaction back; begin again. Outside of begin() and commit() each call is its
/// own transaction with Durability::Normal. The store stays usable after errors such as a full disk.
class RunStore {
public:
    struct Options {
        std::string owner;       ///< the program's name, "heddle train"
        double lockTimeout = 0;  ///< seconds to wait for the lock
    };

    /// Opens or creates the database. Throws StorageError: Locked (names the owner), NotADatabase (another program's file),
    /// NewerSchema, Full, InputOutput.
    static std::unique_ptr<RunStore> open(const std::string& file, const Options& options);
    virtual ~RunStore() = default;

    enum class Durability { Normal, Full };  ///< Full: fsync before commit() returns (state, evaluation, checkpoint)
    virtual void begin() = 0;
    /// Throws only if nothing was committed. A commit that the disk did not confirm is visible; isConfirmed() is then false.
    virtual void commit(Durability durability) = 0;
    virtual void rollback() = 0;
    /// Whether the disk has confirmed every durable commit. If not, checkpointWal() writes all commits again, into the database
    /// file: a second fsync of the log would report success although pages are lost.
    virtual bool isConfirmed() const = 0;

    virtual void addRun(const RunRecord& run) = 0;
    virtual void updateRun(const RunRecord& run) = 0;  ///< every mutable field
    virtual void setState(const std::string& run, const std::string& state, const std::string& reason) = 0;
    virtual void addAttempt(const AttemptRecord& attempt) = 0;
    virtual void updateAttempt(const AttemptRecord& attempt) = 0;
    /// Appends to the last chunk, which is sealed at 4,096 values; a gap or another stride starts a new chunk. Steps of a
    /// series of one attempt must increase (else Invalid). Visible to readers after commit().
    virtual void append(const SeriesAppend& series) = 0;
    virtual void add(const EvaluationRecord& record) = 0;
    virtual void add(const HistogramRecord& record) = 0;
    virtual void add(const MapRecord& record) = 0;
    virtual void add(const SampleRecord& record) = 0;
    virtual void add(const CheckpointRecord& record) = 0;
    virtual void removeCheckpoint(const std::string& run, std::int64_t step, const std::string& kind) = 0;
    virtual void add(const EventRecord& record) = 0;
    /// Rows only, also items whose kind ends with " RUN"; the caller removes the folder afterwards.
    virtual void deleteRun(const std::string& run) = 0;
    /// Copies all records of a run from another database, but not its folder. Throws StorageError NotFound, or Invalid when
    /// this database already has a run of that id.
    virtual void importRun(const std::string& file, const std::string& run) = 0;
    virtual std::uint64_t mapBytes(const std::string& run) const = 0;
    /// Removes the maps of every second stored step of the older half (of its only step, if it has one). Frees space as long as
    /// maps of at least two steps are stored.
    virtual void thinMaps(const std::string& run) = 0;

    /// Saved variants, colours, pins and data definitions: one JSON text per (kind, key).
    virtual void putItem(const std::string& kind, const std::string& key, const std::string& body) = 0;
    virtual void removeItem(const std::string& kind, const std::string& key) = 0;

    /// Requests of other processes since the last call; call answer() for each, in the transaction that executes it. A request
    /// leaves the inbox only after its answer is committed (at the next call or with this object), so that an owner that dies
    /// before leaves it to the next. May run on its own thread beside the other calls; waits for processes that write to the
    /// inbox. A request with a `refusal` must only be answered: it is older than any requester waits, or of another time.
    virtual std::vector<InboxRequest> takeRequests() = 0;
    /// What the last takeRequests() set aside (a damaged inbox, one of another user), for users; or empty. The same thread.
    virtual const std::string& inboxNotice() const = 0;
    virtual void answer(std::int64_t request, bool ok, const std::string& text) = 0;

    /// Copies the write-ahead log into the database and releases free pages; call when idle. Only the writer does this. Throws
    /// StorageError InputOutput while isConfirmed() remains false.
    virtual void checkpointWal() = 0;
    /// Why file() no longer names the open database ("the database file was removed"), or empty. Writes continue to the open
    /// files and are not lost while this object lives.
    virtual std::string placeProblem() = 0;
    /// After a placeProblem(), makes all committed data accessible under a name: the file's present name, else a copy named
    /// file(), or beside it if that name is taken. Overwrites nothing. Returns the name. Throws StorageError.
    virtual std::string recover() = 0;
    virtual const std::string& file() const = 0;
    /// A notice for the user (network file system, backup before a schema change), or empty.
    virtual const std::string& notice() const = 0;
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
