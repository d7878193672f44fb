// SPDX-License-Identifier: Apache-2.0
// `heddle inspect RUN --lens`: what the head says of every layer's state, of one checkpoint or of several.
#include "app/cli/documents.h"
#include "app/cli/inspect_command.h"
#include "app/cli/inspect_report.h"
#include "app/cli/open_run.h"
#include "app/cli/terminal.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/open_inspection.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <utility>

namespace heddle::app {
namespace {

struct CheckpointLens {
    ChosenCheckpoint chosen;
    LensReport report;
};

std::vector<std::string> namesIn(const std::string& list) {
    std::vector<std::string> names;
    std::istringstream given(list);
    for (std::string name; std::getline(given, name, ',');) names.push_back(name);
    return names;
}

/// Steps of all checkpoints that training wrote, ascending.
std::vector<std::string> allSteps(const std::string& run, const Context& context) {
    const auto query = openDatabase(context);
    std::set<std::int64_t> steps;
    for (const storage::CheckpointRecord& one : query->checkpoints(findRun(*query, run).id))
        if (!storage::isAverage(one.kind)) steps.insert(one.step);
    if (steps.empty()) throwUsage("the run has no checkpoint", "--checkpoint", "choose another run, or train this one");
    std::vector<std::string> names;
    for (const std::int64_t step : steps) names.push_back(std::to_string(step));
    return names;
}

/// Without the same checkpoint under another name.
std::vector<ChosenCheckpoint> chosenCheckpoints(const InspectOptions& options, const Context& context) {
    std::vector<std::string> names{options.step ? std::to_string(*options.step) : "best"};
    if (!options.checkpoint.empty())
        names = options.checkpoint == "all" ? allSteps(options.run, context) : namesIn(options.checkpoint);
    std::vector<ChosenCheckpoint> chosen;
    std::set<std::string> folders;
    for (const std::string& name : names) {
        ChosenCheckpoint one = chooseCheckpoint(options.run, name, context);
        if (folders.insert(one.folder()).second) chosen.push_back(std::move(one));
    }
    return chosen;
}

Json layersDocument(const LensReport& report) {
    Json layers = Json::array();
    for (const LensLayer& one : report.layers)
        layers.push_back({{"layer", one.layer},
                          {"path", one.path},
                          {"loss", finiteNumber(one.loss)},
                          {"accuracy", finiteNumber(one.accuracy)},
                          {"same_as_final", finiteNumber(one.sameAsFinal)},
                          {"kl", finiteNumber(one.divergence)}});
    return layers;
}

Json lensDocument(const std::vector<CheckpointLens>& all) {
    const LensReport& first = all.front().report;
    Json checkpoints = Json::array();
    std::set<std::string> warnings;
    double seconds = 0;
    for (const auto& [chosen, report] : all) {
        checkpoints.push_back({{"step", chosen.record.step}, {"kind", chosen.record.kind}, {"layers", layersDocument(report)}});
        warnings.insert(report.warnings.begin(), report.warnings.end());
        seconds += report.seconds;
    }
    Json document = inspectionDocument(all.front().chosen);
    if (all.size() > 1) document["step"] = Json();
    document["split"] = first.split, document["examples"] = first.examples;
    document["lens"] = {{"positions", first.positions}, {"checkpoints", std::move(checkpoints)}};
    document["warnings"] = warnings, document["seconds"] = seconds;
    return document;
}

std::string lensText(const std::vector<CheckpointLens>& all) {
    Table table({"step", "after", "loss", "first choice right", "as the whole model", "KL to the whole model", "n"});
    table.right({0, 2, 3, 4, 5, 6});
    std::set<std::string> warnings;
    for (const auto& [chosen, report] : all) {
        for (const LensLayer& one : report.layers)
            table.add({countText(chosen.record.step), one.path, numberText(one.loss), numberText(one.accuracy),
                       numberText(one.sameAsFinal), numberText(one.divergence), countText(report.positions)});
        warnings.insert(report.warnings.begin(), report.warnings.end());
    }
    return table.text() + warningsText({warnings.begin(), warnings.end()});
}

}  // namespace

int inspectLens(const InspectOptions& options, const Context& context) {
    const std::vector<ChosenCheckpoint> chosen = chosenCheckpoints(options, context);
    const std::shared_ptr<Engine> engine = context.engine();
    std::vector<CheckpointLens> all;
    for (const ChosenCheckpoint& one : chosen) {
        const std::unique_ptr<InspectionSession> session = openInspection(*engine, one, options.device, {});
        all.push_back({one, session->lens({examplesOf(options)})});
        if (!context.json) noteReport(context, one, all.back().report);
    }
    if (context.json)
        context.print(lensDocument(all));
    else
        context.out << lensText(all);
    return 0;
}

}  // namespace heddle::app
