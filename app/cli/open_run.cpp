// SPDX-License-Identifier: Apache-2.0
#include "app/cli/open_run.h"

#include "app/cli/documents.h"
#include "app/cli/spec_source.h"
#include "app/session/checkpoint_folders.h"
#include "app/session/engine_loader.h"
#include "app/session/recorded_precision.h"
#include "app/session/requests.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

namespace heddle::app {
namespace {

/// The requested checkpoint. "best" is the newest one marked best, or the last if validation never chose one.
storage::CheckpointRecord pick(const std::vector<storage::CheckpointRecord>& all, const std::string& requested,
                               const Context& context) {
    const auto newest = [&](const auto& fits) {
        const storage::CheckpointRecord* found = nullptr;
        for (const auto& c : all)
            if (fits(c) && (!found || c.step >= found->step)) found = &c;
        return found;
    };
    const auto ofKind = [](const std::string& kind) { return [kind](const auto& c) { return c.kind == kind; }; };
    const storage::CheckpointRecord* found = nullptr;
    if (requested == "best" || requested == "last") {
        found = newest(ofKind(requested));
        if (!found && requested == "best" && (found = newest([](const auto&) { return true; })))
            context.err << "no checkpoint is marked best: using the one of step " << found->step << "\n";
        if (!found && requested == "last") found = newest([](const auto&) { return true; });
    } else {
        found = newest([&](const auto& c) { return std::to_string(c.step) == requested; });
    }
    if (found) return *found;
    std::string steps;
    for (const auto& c : all) steps += fmt::format("{}{} ({})", steps.empty() ? "" : ", ", c.step, c.kind);
    throw Error(ErrorCode::Usage, fmt::format("there is no checkpoint \"{}\"", requested), "--checkpoint",
                steps.empty() ? "the run has none yet" : "there are: " + steps);
}

}  // namespace

void addModelOptions(CommandBuilder& command, ModelChoice& choice) {
    command.option("--run", choice.run, "RUN", "Id, unique prefix of one, or unique name")
        .required("--run")
        .option("--checkpoint", choice.checkpoint, "WHICH", "best (default), last, or a step")
        .option("--device", choice.device, "DEVICE", "auto, cpu, cuda or cuda:N");
}

ChosenCheckpoint chooseCheckpoint(const std::string& name, const std::string& requested, const Context& context) {
    const auto query = openDatabase(context);
    ChosenCheckpoint chosen;
    chosen.run = findRun(*query, name);
    chosen.record = pick(query->checkpoints(chosen.run.id), requested, context);
    chosen.precision = recordedPrecision(*query, chosen.run.id);
    chosen.artifacts = storage::artifactFolder(std::filesystem::absolute(context.database).string());
    if (const auto problem = checkpointProblem(chosen.artifacts, chosen.record); !problem.empty())
        throwInvalid(problem, "run " + chosen.run.id, "choose another checkpoint");
    return chosen;
}

std::vector<std::string> startAssignments(const std::string& place, const std::string& weightsSha256) {
    return {"train.start.checkpoint=" + Json(place).dump(), "train.start.weights_sha256=" + Json(weightsSha256).dump()};
}

std::vector<std::string> startAssignments(const ChosenCheckpoint& checkpoint) {
    return startAssignments(checkpoint.folder(), checkpoint.record.weightsSha256);
}

RunSpec readRunSpec(const ChosenCheckpoint& chosen, const std::vector<std::string>& assignments) {
    RunSpec spec = readRunSpec(chosen.run, assignments);
    if (spec.train.precision == "auto" && !chosen.precision.empty()) spec.train.precision = chosen.precision;
    return spec;
}

OpenedRun openRun(const ModelChoice& choice, const Context& context) {
    const ChosenCheckpoint chosen = chooseCheckpoint(choice.run, choice.checkpoint, context);
    const std::string& id = chosen.run.id;
    OpenedRun opened{id, readRunSpec(chosen, {}), chosen.record.step, loadEngine(), nullptr};
    opened.session = opened.engine->openInference(opened.spec, chosen.artifacts + "/" + id, chosen.folder(), choice.device);
    return opened;
}

void noteObstacle(const OpenedRun& opened, const Context& context) {
    const std::string obstacle = opened.session->decodingObstacle();
    if (!obstacle.empty())
        context.err << "decoding without a cache, every position over the whole prefix: " << printable(obstacle) << "\n";
}

void noteWarning(const OpenedRun& opened, const Context& context) {
    const std::string warning = opened.session->decodingWarning();
    if (!warning.empty()) context.err << printable(warning) << "\n";
}

}  // namespace heddle::app
