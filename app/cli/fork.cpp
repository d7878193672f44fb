// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/follow.h"
#include "app/cli/open_run.h"
#include "app/cli/spec_source.h"
#include "app/study/usable_runs.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/spec/field_schema.h"

namespace heddle::app {
namespace {

struct ForkOptions {
    std::string run, at = "last";
    bool isExact = false;
    RunChanges changes;
};

/// Throws if the fork changes a setting on which the training state of a checkpoint depends.
void requireSameTraining(const RunSpec& fork, const RunSpec& parent) {
    const Json now = fork.toJson(), before = parent.toJson();
    for (const std::string path : {"variant", "data", "seed", "train.batch", "train.accumulate", "train.optimizer.kind"}) {
        const Json::json_pointer at = pointerOf(path);
        if (now.value(at, Json()) != before.value(at, Json()))
            throw Error(ErrorCode::Usage, "an exact fork keeps " + path + " as its parent has it", "--exact",
                        "leave it as it is, or fork without --exact, from the weights alone");
    }
}

/// The parent's spec with the fork's changes; new blocks start without effect.
RunSpec forkedSpec(const ForkOptions& options, const ChosenCheckpoint& from) {
    std::vector<std::string> assignments = startAssignments(from);
    assignments.insert(assignments.end(), {"train.start.neutral=true", "name=\"\""});  // do not inherit the name
    assignments.emplace_back(options.isExact ? "train.start.state=true" : "train.start.state=false");
    for (std::string& change : options.changes.assignments()) assignments.push_back(std::move(change));
    RunSpec spec = readRunSpec(from.run, assignments);
    if (options.isExact) requireSameTraining(spec, readRunSpec(from));
    return spec;
}

int fork(const ForkOptions& options, const Context& context) {
    const RunSpec spec = forkedSpec(options, chooseCheckpoint(options.run, options.at, context));
    requireUsable(spec);
    context.engine();  // fails before a run is created that could not be trained
    return followRun(context, openSession(context, "fork", ""), [&](RunSession& owner) { return owner.submit(spec); });
}

}  // namespace

void addFork(CommandBuilder& root) {
    auto o = std::make_shared<ForkOptions>();
    auto command = root.command("fork", "Start a new run from a checkpoint, with another variant or other settings");
    command.run(o->run).option("--at", o->at, "WHICH", "The checkpoint: last (default), best, average, or a step");
    command.flag("--exact", o->isExact,
                 "Go on as the run would have done, with its optimizer, step and place in the data: a cooldown of a trunk");
    addRunChanges(command, o->changes, "what is drawn anew");
    command
        .examples(
            "heddle fork base --set encoder.self.adjuster=eau --name base+eau\n"
            "heddle fork 3f2a --at 1200 --set train.lr=1e-4 --set train.epochs=5\n"
            "heddle fork trunk --at 8000 --exact --set train.steps=10000 --set train.schedule.decay=0.2")
        .action([o](Context& context) { return fork(*o, context); });
}

}  // namespace heddle::app
