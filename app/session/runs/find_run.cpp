// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/find_run.h"

#include "engine/base/error.h"
#include "engine/run/run_state.h"
#include "engine/spec/foreign_spec.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::app {

constexpr std::size_t kCandidatesShown = 10;

std::string requireRunId(const std::string& run) {
    if (!storage::isRunId(run))
        throw Error(ErrorCode::InvalidInput, "not a run id", run, "an id is 12 hexadecimal digits; see heddle runs list");
    return run;
}

void requireWhole(const storage::RunRecord& run) {
    if (run.damaged)
        throwInvalid("the run is damaged: " + run.reason, "run " + run.id, "restore a copy of the database, or delete the run");
}

void requireResumable(const storage::RunRecord& run) {
    requireOwn(run.spec, "run " + run.id);
    if (run.state != name(RunState::Completed)) return;
    throw Error(ErrorCode::Usage, fmt::format("the run is complete: it ended at step {}", run.step),
                fmt::format("{} \"{}\"", run.id, run.name),
                fmt::format("to continue training, give a new limit: heddle resume {} --epochs N (or --steps N)", run.id));
}

storage::RunRecord recordOf(storage::RunQuery& query, const std::string& run) {
    auto record = query.run(run);
    if (!record) throw Error(ErrorCode::Usage, "no such run", run, "heddle runs list shows the runs of the database");
    return *std::move(record);
}

std::vector<storage::RunRecord> matchingRuns(storage::RunQuery& query, const std::string& text) {
    auto found = query.matching(text);
    if (found.size() < 2 || found.front().id.starts_with(text)) return found;
    const auto dropUnlessAll = [&found](const auto& isUnlikely) {
        if (!std::all_of(found.begin(), found.end(), isUnlikely)) std::erase_if(found, isUnlikely);
    };
    dropUnlessAll([](const storage::RunRecord& run) { return run.trashed > 0; });
    dropUnlessAll([](const storage::RunRecord& run) { return run.state == name(RunState::Failed) && run.step == 0; });
    return found;
}

storage::RunRecord findRun(storage::RunQuery& query, const std::string& text) {
    const auto found = matchingRuns(query, text);
    if (found.size() == 1) return found.front();
    if (found.empty())
        throw Error(ErrorCode::Usage, fmt::format("no run \"{}\"", text), "RUN",
                    "give an id, a unique prefix of one, or a unique name; heddle runs list shows them");
    std::string candidates;
    for (std::size_t i = 0; i < found.size() && i < kCandidatesShown; ++i)
        candidates += fmt::format("{}{} \"{}\" ({})", i ? ", " : "", found[i].id, found[i].name, found[i].state);
    if (found.size() > kCandidatesShown) candidates += fmt::format(", and {} more", found.size() - kCandidatesShown);
    throw Error(ErrorCode::Usage, fmt::format("\"{}\" matches {} runs", text, found.size()), "RUN",
                "use the id of one of: " + candidates);
}

}  // namespace heddle::app
