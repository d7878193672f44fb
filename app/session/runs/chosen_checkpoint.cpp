// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/chosen_checkpoint.h"

#include "app/session/runs/checkpoint_folders.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/recorded.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/foreign_spec.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace heddle::app {
namespace {

storage::CheckpointRecord pick(const std::vector<storage::CheckpointRecord>& all, const std::string& requested,
                               const std::string& run) {
    const auto newest = [&](const auto& fits) {
        const storage::CheckpointRecord* found = nullptr;
        for (const auto& c : all)
            if (fits(c) && (!found || c.step >= found->step)) found = &c;
        return found;
    };
    const bool isKind = requested == "best" || requested == "last";
    const auto* found = newest([&](const auto& c) {
        if (storage::isAverage(c.kind)) return requested == "average" || requested == c.kind;
        return (isKind ? c.kind : std::to_string(c.step)) == requested;
    });
    if (!found && isKind) found = newest([](const auto& c) { return !storage::isAverage(c.kind); });
    const bool isAmbiguous = found && requested == "average" && std::any_of(all.begin(), all.end(), [&](const auto& c) {
                                 return storage::isAverage(c.kind) && c.step == found->step && c.kind != found->kind;
                             });
    if (found && !isAmbiguous) return *found;
    std::string steps;
    for (const auto& c : all)
        steps += (steps.empty() ? "" : ", ") + (storage::isAverage(c.kind) ? c.kind : fmt::format("{} ({})", c.step, c.kind));
    throw Error(ErrorCode::Usage, fmt::format("there is {} checkpoint \"{}\"", isAmbiguous ? "more than one" : "no", requested),
                "run " + run, steps.empty() ? "the run has none yet" : "there are: " + steps);
}

}  // namespace

ChosenCheckpoint chooseCheckpoint(storage::RunQuery& query, const std::string& database, const storage::RunRecord& run,
                                  const std::string& requested) {
    requireOwn(run.spec, "run " + run.id);
    ChosenCheckpoint chosen{run, pick(query.checkpoints(run.id), requested, run.id),
                            storage::artifactFolder(std::filesystem::absolute(database).string()),
                            recordedPrecision(query, run.id)};
    if (const auto problem = checkpointProblem(chosen.artifacts, chosen.record); !problem.empty())
        throwInvalid(problem, "run " + run.id, "choose another checkpoint");
    return chosen;
}

RunSpec readRunSpec(const storage::RunRecord& run, const std::vector<std::string>& assignments) {
    requireWhole(run);
    requireOwn(run.spec, "run " + run.id);
    Json document = parseJson(run.spec, "run " + run.id);
    for (const auto& assignment : assignments) applySet(document, assignment);
    return RunSpec::parse(document, builtinCatalogue());
}

RunSpec readRunSpec(const ChosenCheckpoint& chosen, const std::vector<std::string>& assignments) {
    RunSpec spec = readRunSpec(chosen.run, assignments);
    if (spec.train.precision == Precision::Auto) spec.train.precision = chosen.precision;
    return spec;
}

}  // namespace heddle::app
