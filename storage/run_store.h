// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::storage {

/// The one writing connection of a run database (design section 6). Holds FILE.heddle.lock while it lives; one thread.
/// Everything between begin() and commit() is one transaction; a destroyed or failed one leaves the database as it was. A call
/// that throws inside a transaction has rolled the whole transaction back: begin anew. Outside begin() and commit() each call
/// is a transaction of its own, committed with Durability::Normal. The store stays usable after an error (a full disk, say).
class RunStore {
public:
    struct Options {
        std::string owner;           ///< "heddle train, pid 123"
        double patienceSeconds = 0;  ///< how long to wait for the lock
    };

    /// Opens or creates. Throws StorageError: Locked (names the owner), NotADatabase (another program's file), NewerSchema,
    /// Full, InputOutput.
    static std::unique_ptr<RunStore> open(const std::string& file, const Options& options);
    virtual ~RunStore() = default;

    enum class Durability { Normal, Full };  ///< Full: fsync before commit() returns (state, evaluation, checkpoint)
    virtual void begin() = 0;
    virtual void commit(Durability durability) = 0;
    virtual void rollback() = 0;

    virtual void addRun(const RunRecord& run) = 0;
    virtual void updateRun(const RunRecord& run) = 0;  ///< every mutable field
    virtual void setState(const std::string& run, const std::string& state, const std::string& reason) = 0;
    virtual void addAttempt(const AttemptRecord& attempt) = 0;
    virtual void updateAttempt(const AttemptRecord& attempt) = 0;
    /// Continues the tail chunk and seals it at 4,096 values; a gap or another stride begins a new chunk. Within a series of
    /// one attempt steps must grow (Invalid). Read by others after commit().
    virtual void append(const SeriesAppend& series) = 0;
    virtual void add(const EvaluationRecord& record) = 0;
    virtual void add(const HistogramRecord& record) = 0;
    virtual void add(const MapRecord& record) = 0;
    virtual void add(const SampleRecord& record) = 0;
    virtual void add(const CheckpointRecord& record) = 0;
    virtual void removeCheckpoint(const std::string& run, std::int64_t step, const std::string& kind) = 0;
    virtual void add(const EventRecord& record) = 0;
    virtual void deleteRun(const std::string& run) = 0;  ///< rows only; the caller removes the folder afterwards
    /// Copies a run of another database with everything that was recorded of it, all attempts; not its folder. Throws
    /// StorageError NotFound, or Invalid when this database has a run of that id.
    virtual void importRun(const std::string& file, const std::string& run) = 0;
    virtual std::uint64_t mapBytes(const std::string& run) const = 0;
    /// Removes the maps of every second stored step of the older half (of the only step there, when the half has one).
    /// Frees something as long as maps of two steps or more are stored.
    virtual void thinMaps(const std::string& run) = 0;

    /// Saved variants, colours, pins and data definitions: one JSON text for each (kind, key).
    virtual void putItem(const std::string& kind, const std::string& key, const std::string& body) = 0;
    virtual void removeItem(const std::string& kind, const std::string& key) = 0;

    /// Requests of other processes since the last call; answer() must be called for each. Answer in the transaction that did
    /// what was asked: a request leaves the inbox only when its answer is committed (at the next call or with this object), so
    /// an owner that dies before leaves it to the next. May be called on a thread of its own while another does the rest; waits
    /// for processes that write to the inbox.
    virtual std::vector<InboxRequest> takeRequests() = 0;
    virtual void answer(std::int64_t request, bool ok, const std::string& text) = 0;

    /// Copies the write-ahead log into the database and gives freed space back, when idle; the writer alone does this.
    virtual void checkpointWal() = 0;
    /// Why the name file() does not lead to the open database any more ("the database file was removed"), or empty. What is
    /// written meanwhile goes to the files that are open and is not lost while this object lives.
    virtual std::string placeProblem() = 0;
    /// Makes all that was committed readable under a name again, once placeProblem() says something: under the name that the
    /// file has now, else as a copy named file() or, where something lies there, beside it. Nothing is overwritten. Returns the
    /// name. Throws StorageError.
    virtual std::string recover() = 0;
    virtual const std::string& file() const = 0;
    /// What the user should know about this place (network file system, backup before a schema change), or empty.
    virtual const std::string& notice() const = 0;
};

/// Puts a request for the owner of `file` into its inbox; returns its id. Works from any process. A request without a time of
/// its own gets the present one.
std::int64_t putRequest(const std::string& file, const InboxRequest& request);
/// Removes a request from the inbox unless an owner has taken it; true if it was removed: nobody will carry it out.
bool withdrawRequest(const std::string& file, std::int64_t request);
/// The owner's answer, once there is one: {ok, text}.
std::optional<std::pair<bool, std::string>> readAnswer(const std::string& file, std::int64_t request);

/// Who holds FILE.heddle.lock now ("heddle train, pid 123 on host, since …"), or empty. Does not disturb the owner.
std::string currentOwner(const std::string& file);

/// "FILE.heddle.d": where a database's checkpoints and tokenizers lie.
std::string artifactFolder(const std::string& file);

}  // namespace heddle::storage
