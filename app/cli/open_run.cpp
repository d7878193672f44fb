// SPDX-License-Identifier: Apache-2.0
#include "app/cli/open_run.h"

#include "app/cli/documents.h"
#include "app/session/runs/find_run.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <ostream>

namespace heddle::app {

void addModelOptions(CommandBuilder& command, ModelChoice& choice) {
    command.option("--run", choice.run, "RUN", kRunHelp)
        .required("--run")
        .option("--checkpoint", choice.checkpoint, "WHICH", "best (default), last, average, or a step")
        .device(choice.device, " (default: auto)");
}

ChosenCheckpoint chooseCheckpoint(const std::string& run, const std::string& requested, const Context& context) {
    const auto query = openDatabase(context);
    ChosenCheckpoint chosen = chooseCheckpoint(*query, context.database, findRun(*query, run), requested);
    if (requested == "best" && chosen.record.kind != requested)
        context.err << "no checkpoint is marked best: using the one of step " << chosen.record.step << "\n";
    return chosen;
}

std::vector<std::string> startAssignments(const std::string& place, const std::string& weightsSha256) {
    return {"train.start.checkpoint=" + Json(place).dump(), "train.start.weights_sha256=" + Json(weightsSha256).dump()};
}

std::vector<std::string> startAssignments(const ChosenCheckpoint& checkpoint) {
    return startAssignments(checkpoint.folder(), checkpoint.record.weightsSha256);
}

OpenedRun openRun(const ModelChoice& choice, const Context& context) {
    const ChosenCheckpoint chosen = chooseCheckpoint(choice.run, choice.checkpoint, context);
    OpenedRun opened{chosen.run.id, readRunSpec(chosen), chosen.record.step, context.engine(), nullptr};
    opened.session = opened.engine->openInference(opened.spec, chosen.runFolder(), chosen.folder(), choice.device);
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
