// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/event_queue.h"
#include "app/session/replay_check.h"
#include "engine/run/events.h"
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// What begins with an attempt: its row, and what the recorder must know to keep the run's folder and database in order.
struct AttemptStart {
    storage::AttemptRecord attempt;
    ReplayCheck replay;
    std::int64_t keepLast = 2;
    double maxMib = 256;             ///< of attention maps; more are thinned
    std::vector<std::string> notes;  ///< recorded as warnings: checkpoints that were passed over, …
};

/// What the recorder knows of the runs it touches, and the only code that turns events into rows. A value type used on the
/// recorder thread: a transaction works on a copy, which replaces the original when the commit has succeeded.
/// Every member function that takes a store must be called between its begin() and commit().
class Ledger {
public:
    explicit Ledger(std::shared_ptr<storage::RunQuery> query) : query_(std::move(query)) {}

    void addRun(storage::RunStore& store, const storage::RunRecord& run);
    /// The one setter of a run's state. Nothing happens if the run is already there; throws Error(Failure) when the transition
    /// table forbids the change. `seconds` since the attempt began.
    void changeState(storage::RunStore& store, const std::string& run, const StateChanged& change, double seconds = 0);
    void beginAttempt(storage::RunStore& store, const AttemptStart& start);
    void apply(storage::RunStore& store, const Event& event);
    void recordGap(storage::RunStore& store, const std::string& run, std::int64_t attempt, const Gap& gap);
    /// Writes the run and attempt rows that changed, and thins maps that have grown over their bound. Last thing before commit.
    void flush(storage::RunStore& store);

    /// An edit that was made at `at` (Unix time) changes nothing that has been edited since. Such a function returns what it
    /// left as it was ("the name was changed again later"), or an empty text when all was done.
    std::string rename(storage::RunStore& store, const std::string& run, const std::string& name, double at);
    struct TagChange {
        std::vector<std::string> add, remove;  ///< a tag in both is added
    };
    std::string tag(storage::RunStore& store, const std::string& run, const TagChange& change, double at);
    void note(storage::RunStore& store, const std::string& run, const std::string& text);
    /// What the run is to be trained with from its next attempt on.
    void setSpec(storage::RunStore& store, const std::string& run, const std::string& spec);
    /// Moves a waiting run by so many places in the queue, towards its end when positive, at most to its end or beginning.
    /// Throws Error(Usage) when the run does not wait.
    void move(storage::RunStore& store, const std::string& run, std::int64_t by);
    /// Puts the run aside (hidden, kept whole). Throws Error(Failure) when the run is in work.
    std::string trash(storage::RunStore& store, const std::string& run, double at);
    std::string restore(storage::RunStore& store, const std::string& run, double at);
    /// Rows only; nothing when the run was restored after `at`. Throws Error(Failure) when the run is in work.
    std::string remove(storage::RunStore& store, const std::string& run, double at);
    struct ItemChange {
        std::string kind, key;
        std::optional<std::string> body;  ///< none: the item is removed
    };
    /// An item of the database, see RunStore::putItem.
    std::string setItem(storage::RunStore& store, const ItemChange& change, double at);

    /// The run as recorded. Throws Error(Usage) if there is none.
    const storage::RunRecord& run(const std::string& id) { return entry(id).record; }
    RunState state(const std::string& id) { return entry(id).state; }
    /// State of a run this ledger has touched, without looking into the database.
    std::optional<RunState> knownState(const std::string& id) const;

    /// Runs whose checkpoints changed since the last call, with all checkpoints and how many to keep.
    struct RetentionDue {
        std::string run;
        std::vector<storage::CheckpointRecord> checkpoints;
        std::int64_t keepLast = 2;
    };
    std::vector<RetentionDue> takeRetentionDue();
    /// After retention removed rows.
    void forgetCheckpoints(const std::string& run, const std::vector<storage::CheckpointRecord>& rows);

private:
    struct Entry {
        storage::RunRecord record;
        RunState state = RunState::Queued;
        storage::AttemptRecord attempt;  ///< attempt 0: none in this process
        double secondsBefore = 0;
        ReplayCheck replay;
        std::int64_t keepLast = 2;
        double maxMib = 256;
        std::vector<storage::CheckpointRecord> checkpoints;
        bool runChanged = false, attemptChanged = false, mapsChanged = false, retentionDue = false;
    };
    Entry& entry(const std::string& run);
    Entry& editable(const std::string& run);

    void put(storage::RunStore& store, const Event& event, Entry& entry, const StateChanged& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const StepBlock& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const EvaluationDone& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const HistogramTaken& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const MapTaken& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const SampleText& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const CheckpointWritten& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const AttemptDescribed& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const FirstStepDone& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const StepsCaptured& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const MemoryMeasured& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const Answer& body);
    /// What is listed and changes nothing else.
    template <class Listed>
    void put(storage::RunStore& store, const Event& event, Entry& entry, const Listed& body);
    /// Adds to what views know of the attempt.
    void describe(Entry& entry, const Event& event, const Json& facts);
    void concludeReplay(storage::RunStore& store, Entry& entry, ReplayCheck::Moment moment);
    void thinMaps(storage::RunStore& store, Entry& entry);

    std::shared_ptr<storage::RunQuery> query_;
    std::map<std::string, Entry> entries_;
};

}  // namespace heddle::app
