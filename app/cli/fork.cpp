// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/follow.h"
#include "app/cli/open_run.h"
#include "app/cli/spec_source.h"

namespace heddle::app {
namespace {

struct ForkOptions {
    std::string run, at = "last";
    RunChanges changes;
};

/// The parent's spec with the fork's changes; new blocks start without effect.
RunSpec forkedSpec(const ForkOptions& options, const ChosenCheckpoint& from) {
    std::vector<std::string> assignments = startAssignments(from);
    assignments.insert(assignments.end(), {"train.start.neutral=true", "name=\"\""});  // do not inherit the name
    for (std::string& change : options.changes.assignments()) assignments.push_back(std::move(change));
    return readRunSpec(from.run, assignments);
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
    addRunChanges(command, o->changes, "what is drawn anew");
    command
        .examples(
            "heddle fork base --set encoder.self.adjuster=eau --name base+eau\n"
            "heddle fork 3f2a --at 1200 --set train.lr=1e-4 --set train.epochs=5")
        .action([o](Context& context) { return fork(*o, context); });
}

}  // namespace heddle::app
