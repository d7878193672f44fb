// SPDX-License-Identifier: Apache-2.0
#include "app/cli/planned_runs.h"

#include "app/cli/documents.h"
#include "app/cli/follow.h"
#include "app/cli/spec_source.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

/// The spec without its device, as text. Equal keys mean the same run.
std::string keyOf(RunSpec spec) {
    spec.train.device = "auto";
    return canonicalJson(spec.toJson());
}

}  // namespace

bool PlannedRun::isDone() const { return state == name(RunState::Completed); }

bool PlannedRun::isUnfinished() const {
    const auto known = runStateFromName(state);
    return known && !isFinal(*known);
}

std::vector<PlannedRun> plannedRuns(std::vector<PlanRow> rows, const std::string& file, const std::string& device) {
    const std::string base = fs::absolute(file).parent_path().string();
    std::vector<PlannedRun> runs;
    std::set<std::string> keys;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!device.empty()) rows[row].set.push_back("train.device=" + Json(device).dump());
        for (RunSpec& spec : runsOf(rows[row], builtinCatalogue(), base)) {
            requireUsable(spec);
            if (!keys.insert(keyOf(spec)).second)
                throw Error(ErrorCode::InvalidInput,
                            fmt::format("two rows are the same run: {}, seed {}", printable(spec.name), spec.seed), file,
                            "leave one of them out, or change its settings, name or seeds");
            runs.push_back({std::move(spec), row, "", "new"});
        }
    }
    return runs;
}

void findRuns(std::vector<PlannedRun>& planned, storage::RunQuery& query, const std::string& database) {
    struct Known {
        storage::RunRecord run;
        std::size_t times = 0;
    };
    const std::string completed(name(RunState::Completed));
    std::map<std::string, Known> known;
    for (storage::RunRecord& run : query.runs()) {
        if (run.damaged || run.trashed > 0 || run.intervened >= 0) continue;
        try {
            Known& of = known[keyOf(RunSpec::parse(parseJson(run.spec, run.id), builtinCatalogue()))];
            of.times += run.state == completed;
            if (of.run.state != completed || run.state == completed) of.run = std::move(run);
        } catch (const Error&) {  // of another version of the program
        }
    }
    for (PlannedRun& run : planned) {
        const auto found = known.find(keyOf(run.spec));
        const bool isThere = found != known.end();
        run.id = isThere ? found->second.run.id : "";
        run.state = isThere ? shownState(found->second.run, database) : "new";
        run.times = isThere ? found->second.times : 0;
    }
}

void requireNoOtherOwner(const std::vector<PlannedRun>& planned, const std::string& database) {
    const auto taken = std::find_if(planned.begin(), planned.end(), [](const auto& run) { return run.isUnfinished(); });
    if (taken == planned.end() || storage::currentOwner(database).empty()) return;
    throw Error(ErrorCode::Failure, "another process trains a run of this plan or has it in its queue", taken->id,
                "wait for it, or stop it there");
}

int trainRuns(std::vector<PlannedRun*> due, const std::string& command, const std::string& file, const Context& context) {
    context.engine();  // fails before a run is created that could not be trained
    std::erase_if(due, [](const PlannedRun* run) { return run->isDone(); });
    const RunLabels labels{command + "/" + fs::path(file).stem().string(), {}};
    std::size_t next = 0;
    return followRuns(context, openSession(context, command, ""), [&](RunSession& session) -> std::optional<std::string> {
        if (next == due.size()) return std::nullopt;
        PlannedRun& run = *due[next++];
        context.err << fmt::format("{} of {}: {}, seed {}\n", next, due.size(), printable(run.spec.name), run.spec.seed);
        if (run.id.empty()) return run.id = session.submit(run.spec, labels);
        session.resume(run.id);
        return run.id;
    });
}

}  // namespace heddle::app
