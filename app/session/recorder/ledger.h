// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/recorder/event_queue.h"
#include "app/session/recorder/replay_check.h"
#include "engine/run/events.h"
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Start of an attempt: its row, and the recorder's data for retention and thinning.
struct AttemptStart {
    storage::AttemptRecord attempt;
    ReplayCheck replay;
    std::int64_t keepLast = 2;
    double maxMib = 256;             ///< limit of attention maps; beyond it they are thinned
    std::vector<std::string> notes;  ///< recorded as warnings: skipped checkpoints, …
};

/// The recorder's state of the runs it changes, and the only code that converts events to rows. A value type used on the
/// recorder thread: a transaction works on a copy, which replaces the original after a successful commit. Member functions with
/// a store must be called between its begin() and commit().
class Ledger {
public:
    explicit Ledger(std::shared_ptr<storage::RunQuery> query) : query_(std::move(query)) {}

    void addRun(storage::RunStore& store, const storage::RunRecord& run);
    /// The one setter of a run's state. Does nothing if the run already has this state; throws Error(Failure) when the
    /// transition table forbids the change. `seconds` since the attempt began.
    void changeState(storage::RunStore& store, const std::string& run, const StateChanged& change, double seconds = 0);
    void beginAttempt(storage::RunStore& store, const AttemptStart& start);
    void apply(storage::RunStore& store, const Event& event);
    /// Records a warning in every run in training.
    void warnActive(storage::RunStore& store, const std::string& text);
    void recordGap(storage::RunStore& store, const std::string& run, std::int64_t attempt, const Gap& gap);
    /// Writes changed run and attempt rows, and thins maps beyond their limit. Call last before commit.
    void flush(storage::RunStore& store);

    /// Edits made at `at` (Unix time) do not change values edited later. They return what was skipped ("the name was changed
    /// again later"), or an empty text.
    std::string rename(storage::RunStore& store, const std::string& run, const std::string& name, double at);
    struct TagChange {
        std::vector<std::string> add, remove;  ///< a tag in both is added
    };
    std::string tag(storage::RunStore& store, const std::string& run, const TagChange& change, double at);
    void note(storage::RunStore& store, const std::string& run, const std::string& text);
    /// Sets the spec for the run's next attempts.
    void setSpec(storage::RunStore& store, const std::string& run, const std::string& spec);
    /// Moves a waiting run by `by` places in the queue, towards the end if positive, limited to its ends. Throws Error(Usage)
    /// when the run is not waiting.
    void move(storage::RunStore& store, const std::string& run, std::int64_t by);
    /// Moves the run to the trash. Throws Error(Failure) when the run is active.
    std::string trash(storage::RunStore& store, const std::string& run, double at);
    std::string restore(storage::RunStore& store, const std::string& run, double at);
    /// Deletes the rows only; does nothing if the run was restored after `at`. Throws Error(Failure) when the run is active.
    std::string remove(storage::RunStore& store, const std::string& run, double at);
    struct ItemChange {
        std::string kind, key;
        std::optional<std::string> body;  ///< none: remove the item
    };
    /// Sets or removes an item of the database, see RunStore::putItem.
    std::string setItem(storage::RunStore& store, const ItemChange& change, double at);

    /// The run as recorded. Throws Error(Usage) if there is none.
    const storage::RunRecord& run(const std::string& id) { return entry(id).record; }
    RunState state(const std::string& id) { return entry(id).state; }
    /// State of a run that this ledger knows, without reading the database.
    std::optional<RunState> knownState(const std::string& id) const;

    /// Runs whose checkpoints changed since the last call, with all checkpoints and the number to keep.
    struct RetentionDue {
        std::string run;
        std::vector<storage::CheckpointRecord> checkpoints;
        std::int64_t keepLast = 2;
    };
    std::vector<RetentionDue> takeRetentionDue();
    /// Call after retention removed rows.
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
    void put(storage::RunStore& store, const Event& event, Entry& entry, const Intervened& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const MemoryMeasured& body);
    void put(storage::RunStore& store, const Event& event, Entry& entry, const Answer& body);
    /// Events that are only listed, or also describe the attempt (FirstStepDone, StepsCaptured, RunsAtOnce).
    template <class Listed>
    void put(storage::RunStore& store, const Event& event, Entry& entry, const Listed& body);
    /// Adds facts to the attempt's context.
    void describe(Entry& entry, const Event& event, const Json& facts);
    void concludeReplay(storage::RunStore& store, Entry& entry, ReplayCheck::Moment moment);
    void thinMaps(storage::RunStore& store, Entry& entry);

    std::shared_ptr<storage::RunQuery> query_;
    std::map<std::string, Entry> entries_;
};

}  // namespace heddle::app
