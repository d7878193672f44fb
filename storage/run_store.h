// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::storage {

/// The one writing connection of a run database (design section 6). Holds FILE.heddle.lock while it lives; one thread.
/// Everything between begin() and commit() is one transaction; a destroyed or failed one leaves the database as it was.
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
    virtual void append(const SeriesAppend& series) = 0;  ///< continues the tail chunk; seals it at 4,096 values
    virtual void add(const EvaluationRecord& record) = 0;
    virtual void add(const HistogramRecord& record) = 0;
    virtual void add(const MapRecord& record) = 0;
    virtual void add(const SampleRecord& record) = 0;
    virtual void add(const CheckpointRecord& record) = 0;
    virtual void removeCheckpoint(const std::string& run, std::int64_t step, const std::string& kind) = 0;
    virtual void add(const EventRecord& record) = 0;
    virtual void deleteRun(const std::string& run) = 0;  ///< rows only; the caller removes the folder afterwards
    virtual std::uint64_t mapBytes(const std::string& run) const = 0;
    virtual void thinMaps(const std::string& run) = 0;  ///< removes every second stored step of the older half

    /// Requests of other processes since the last call; answer() must be called for each.
    virtual std::vector<InboxRequest> takeRequests() = 0;
    virtual void answer(std::int64_t request, bool ok, const std::string& text) = 0;

    virtual void checkpointWal() = 0;  ///< when idle; the writer alone does this
    virtual const std::string& file() const = 0;
};

/// Puts a request for the owner of `file` into its inbox; returns its id. Works from any process.
std::int64_t putRequest(const std::string& file, const InboxRequest& request);
/// The owner's answer, once there is one: {ok, text}.
std::optional<std::pair<bool, std::string>> readAnswer(const std::string& file, std::int64_t request);

/// Who holds FILE.heddle.lock now ("heddle train, pid 123 on host, since …"), or empty. Does not disturb the owner.
std::string currentOwner(const std::string& file);

/// "FILE.heddle.d": where a database's checkpoints and tokenizers lie.
std::string artifactFolder(const std::string& file);

}  // namespace heddle::storage
