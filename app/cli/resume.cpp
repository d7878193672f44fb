// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/follow.h"
#include "app/cli/process_options.h"
#include "app/session/runs/chosen_checkpoint.h"
#include "app/session/runs/extension.h"
#include "app/session/runs/find_run.h"
#include "engine/spec/foreign_spec.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

namespace heddle::app {
namespace {

struct ResumeOptions {
    std::string run;
    Extension extension;
    ProcessOptions processes;
};

/// Says that the run is extended, and what becomes of a schedule with an end.
void noteExtension(const std::string& run, const Context& context) {
    const storage::RunRecord record = findRun(*openDatabase(context), run);
    const std::string text = extensionText(record);
    if (text.empty()) return;
    context.err << text << "\n";
    const TrainSpec train = readRunSpec(record).train;
    if (train.scheduleSteps > 0)
        context.err << fmt::format("schedule {} ends at step {}; --schedule-steps moves its end\n", wordOf(train.schedule),
                                   train.scheduleSteps);
}

int resume(const ResumeOptions& options, const Context& context) {
    const ProcessPlace place = placeOf(options.processes);
    if (!place.isLeader()) return joinRun(place, std::nullopt, context);
    const storage::RunRecord run = findRun(*openDatabase(context), options.run);
    requireOwn(run.spec, "run " + run.id);
    if (options.extension.isEmpty()) requireResumable(run);  // before waiting for the engine, the database or other processes
    if (const auto code = runInProcesses(options.processes, context)) return *code;
    context.engine();
    return followRun(context, openSession(context, "resume", "", place), [&](RunSession& owner) {
        owner.resume(run.id, options.extension);
        if (!options.extension.isEmpty()) noteExtension(run.id, context);
        return run.id;
    });
}

}  // namespace

void addResume(CommandBuilder& root) {
    auto o = std::make_shared<ResumeOptions>();
    auto command = root.command(verbOf(ResumeRun{}),
                                "Go on with a run from its newest intact checkpoint, or train a completed one further");
    command.run(o->run)
        .option("--epochs", o->extension.epochs, "N", "Train up to N epochs in total, instead of the spec's limit")
        .option("--steps", o->extension.steps, "N", "Train up to so many steps in all")
        .option("--patience", o->extension.patience, "N", "Evaluations without a better one until early stopping; 0: none")
        .option("--schedule-steps", o->extension.scheduleSteps, "N",
                "Where the fall of a linear, cosine or wsd schedule ends; default: where it ended before the run was extended");
    addProcessOptions(command, o->processes);
    command
        .examples(
            "heddle resume 3f2a\n"
            "heddle resume base --db experiments.heddle\n"
            "heddle resume 3f2a --epochs 20")
        .action([o](Context& context) { return resume(*o, context); });
}

}  // namespace heddle::app
