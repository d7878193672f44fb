// SPDX-License-Identifier: Apache-2.0
#include "app/launch/plan_starts.h"

#include "app/session/runs/chosen_checkpoint.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace heddle::app {
namespace {

/// The newest completed run of a database with the name and seed that `run` starts from.
storage::RunRecord startIn(storage::RunQuery& query, const PlannedRun& run) {
    const RowStart& from = run.start->from;
    std::optional<storage::RunRecord> found;
    for (storage::RunRecord& one : query.runs())
        if (!one.damaged && one.trashed == 0 && one.name == from.row && one.seed == run.spec.seed &&
            one.state == name(RunState::Completed))
            found = std::move(one);
    if (!found)
        throwInvalid(fmt::format("no run \"{}\" of seed {} has completed in this database", from.row, run.spec.seed),
                     from.database, "train it first, or correct \"from\" and \"from_database\"");
    return *found;
}

ChosenCheckpoint startOf(const PlannedRun& run, const std::vector<PlannedRun>& planned, storage::RunQuery* query,
                         const std::string& database) {
    const RowStart& from = run.start->from;
    if (run.start->run && query)  // a run that has completed is in the database
        return chooseCheckpoint(*query, database, recordOf(*query, planned[*run.start->run].id), from.checkpoint);
    if (!std::filesystem::exists(from.database))
        throwInvalid("there is no such run database", from.database, "correct \"from_database\"");
    const auto other = storage::RunQuery::open(from.database);
    return chooseCheckpoint(*other, from.database, startIn(*other, run), from.checkpoint);
}

/// Returns whether the run waits for a start, and the run that gives it has completed.
bool canStart(const PlannedRun& run, const std::vector<PlannedRun>& planned) {
    return run.waitsForStart() && (!run.start->run || planned[*run.start->run].isDone());
}

}  // namespace

void findPlanned(std::vector<PlannedRun>& planned, storage::RunQuery* query, const std::string& database) {
    std::optional<KnownRuns> known;
    if (query) known.emplace(*query, database);
    for (bool isNew = true; isNew;) {
        if (known) known->find(planned);
        isNew = false;
        for (PlannedRun& run : planned) {
            if (!canStart(run, planned)) continue;
            try {
                const ChosenCheckpoint chosen = startOf(run, planned, query, database);
                run.spec.train.start.checkpoint = chosen.folder();
                run.spec.train.start.weightsSha256 = chosen.record.weightsSha256;
            } catch (const Error& error) {
                throw Error(error.code(), error.problem(), fmt::format("start of {}: {}", run.title(), error.where()),
                            error.next());
            }
            run.state = "new";
            isNew = true;
        }
    }
}

std::string whyWaiting(const PlannedRun& run, const std::vector<PlannedRun>& planned) {
    const PlannedRun& start = planned[*run.start->run];
    const std::string state = start.hasFailed()       ? "failed"
                              : start.waitsForStart() ? "is not trained either"
                                                      : "has not completed";
    return fmt::format("it starts from {}, which {}", start.title(), state);
}

std::string startText(const PlannedRun& run) {
    if (!run.start) return "";
    return fmt::format("{}, {}", printable(run.start->from.row), run.start->from.checkpoint);
}

}  // namespace heddle::app
