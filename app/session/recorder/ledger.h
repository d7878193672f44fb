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

/// A note of a user.
struct NewNote {
    std::string run, text;
    double at = 0;        ///< Unix time
    double replaced = 0;  ///< that of the note whose text it changes; 0: none
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

    void note(storage::RunStore& store, const NewNote& note);
    /// Sets the spec for the run's next attempts.
    void setSpec(storage::RunStore& store, const std::string& run, const std::string& spec);
    /// The run's row, to be changed and stored. Throws Error(InvalidInput) when it is damaged: writing it would hide the
    /// damage.
    storage::RunRecord& editable(const std::string& run);
    void remove(storage::RunStore& store, const std::string& run);  ///< the rows only

    /// The run as recorded. Throws Error(Usage) if there is none.
    const storage::RunRecord& run(const std::string& id) { return entry(id).record; }
    RunState state(const std::string& id) { return entry(id).state; }
    /// State of a run that this ledger knows, without reading the database.
    std::optional<RunState> knownState(const std::string& id) const;
    /// Reads what is committed.
    storage::RunQuery& query() const { return *query_; }

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
    class Rows;
    Entry& entry(const std::string& run);
    void concludeReplay(storage::RunStore& store, Entry& entry, ReplayCheck::Moment moment);
    void thinMaps(storage::RunStore& store, Entry& entry);

    std::shared_ptr<storage::RunQuery> query_;
    std::map<std::string, Entry> entries_;
};

}  // namespace heddle::app
