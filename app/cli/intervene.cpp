// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/intervention_options.h"
#include "app/session/requests/ask_owner.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/recorded.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/run/intervention_change.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace heddle::app {
namespace {

/// The run may be in an evaluation, which answers after its current batch.
constexpr double kAnswerTimeout = 60;  // seconds

struct InterveneOptions {
    std::string run;
    InterventionOptions add;
    std::vector<std::string> undo;
    bool undoAll = false;
};

/// The interventions in force and the step after which they began; step -1: there never were any.
InterventionsAt inForceOf(storage::RunQuery& query, const std::string& run) {
    std::vector<std::string> unreadable;
    const auto recorded = recordedInterventions(query, run, unreadable);
    return recorded.empty() ? InterventionsAt{-1, {}} : recorded.back();
}

/// Returns the interventions in force that `text` names: "encoder.layers.0.self:3", or the path alone.
std::vector<Intervention> namedBy(const std::string& text, const std::vector<Intervention>& inForce) {
    std::vector<Intervention> named;
    std::copy_if(inForce.begin(), inForce.end(), std::back_inserter(named),
                 [&](const Intervention& one) { return textOf(one) == text || pathOf(one) == text; });
    if (named.empty())
        throw Error(ErrorCode::Usage, "\"" + printable(text) + "\" is not in force", "--undo",
                    "in force: " + sentenceOf(inForce));
    return named;
}

InterventionChange changeOf(const InterveneOptions& options, const std::vector<Intervention>& inForce) {
    InterventionChange change{interventionsOf(options.add), {}};
    if (options.undoAll) change.remove = inForce;
    for (const std::string& text : options.undo)
        for (const Intervention& one : namedBy(text, inForce)) change.remove.push_back(one);
    return change;
}

int intervene(const InterveneOptions& options, const Context& context) {
    const auto query = openDatabase(context);
    const storage::RunRecord run = findRun(*query, options.run);
    InterventionsAt inForce = inForceOf(*query, run.id);
    const InterventionChange change = changeOf(options, inForce.inForce);
    if (change != InterventionChange{}) {
        if (storage::currentOwner(context.database).empty())
            throw Error(ErrorCode::Usage, "the run is not in training", fmt::format("{} \"{}\"", run.id, printable(run.name)),
                        "use heddle inspect for a finished run; it does not change stored data");
        const Json answer =
            parseJson(askOwner(context.database, {AskRun{run.id, interventionQuestion(change)}}, kAnswerTimeout), "answer");
        inForce = {answer.at("step").get<std::int64_t>(), readInterventions(answer.at("interventions"))};
    }
    if (context.json) {
        context.print({{"schema", "heddle.intervene/1"},
                       {"run", run.id},
                       {"step", inForce.step < 0 ? Json() : Json(inForce.step)},
                       {"interventions", interventionsDocument(inForce.inForce)}});
        return 0;
    }
    if (inForce.step >= 0) context.err << fmt::format("after step {}: ", inForce.step);
    context.out << printable(sentenceOf(inForce.inForce)) << "\n";
    return 0;
}

}  // namespace

void addIntervene(CommandBuilder& root) {
    auto o = std::make_shared<InterveneOptions>();
    auto command =
        root.command("intervene", "Change a part of a run in training from its next step on; the run is then not comparable");
    command.run(o->run, "; without options: what is in force");
    addInterventionOptions(command, o->add)
        .option("--undo", o->undo, "PATH", "Take an intervention back, by its path or by the text that made it")
        .flag("--undo-all", o->undoAll, "Take all of them back")
        .excludes("--undo", "--undo-all")
        .examples(
            "heddle intervene base --mute encoder.layers.0.self:3\n"
            "heddle intervene base --clamp encoder.layers.0.self.residual.gate=0\n"
            "heddle intervene base --undo encoder.layers.0.self:3\n"
            "heddle intervene base --undo-all")
        .action([o](Context& context) { return intervene(*o, context); });
}

}  // namespace heddle::app
