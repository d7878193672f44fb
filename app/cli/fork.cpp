// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/follow.h"
#include "app/cli/open_run.h"
#include "app/cli/spec_source.h"
#include "app/session/engine_loader.h"
#include "engine/spec/catalogue.h"

#include <fmt/format.h>

namespace heddle::app {
namespace {

struct ForkOptions {
    std::string run, at = "last", name;
    std::vector<std::string> set;
    std::optional<std::int64_t> seed;
};

/// The parent's spec with what the fork changes; blocks that are new begin as if they were absent.
RunSpec forkedSpec(const ForkOptions& options, const ChosenCheckpoint& from) {
    Json document = parseJson(from.run.spec, "run " + from.run.id);
    document.erase("name");
    std::vector<std::string> assignments = startAssignments(from);
    assignments.emplace_back("train.start.neutral=true");
    if (!options.name.empty()) assignments.push_back("name=" + Json(options.name).dump());
    if (options.seed) assignments.push_back(fmt::format("seed={}", *options.seed));
    assignments.insert(assignments.end(), options.set.begin(), options.set.end());
    for (const std::string& assignment : assignments) applySet(document, assignment);
    return RunSpec::parse(document, builtinCatalogue());
}

int fork(const ForkOptions& options, const Context& context) {
    const RunSpec spec = forkedSpec(options, chooseCheckpoint(options.run, options.at, context));
    requireUsable(spec);
    loadEngine();  // before a run is made that could not be trained
    return followRun(context, openSession(context, "fork", ""), [&](RunSession& owner) { return owner.submit(spec); });
}

}  // namespace

void addFork(CommandBuilder& root) {
    auto o = std::make_shared<ForkOptions>();
    root.command("fork", "Train on from a checkpoint as a run of its own, with another variant or other settings")
        .positional("RUN", o->run, "Id, unique prefix of one, or unique name")
        .option("--at", o->at, "WHICH", "The checkpoint: last (default), best, or a step")
        .option("--set", o->set, "PATH=VALUE", "Change one value of the run's spec; may be given several times")
        .option("--name", o->name, "NAME", "Name of the new run")
        .option("--seed", o->seed, "N", "Seed of what is drawn anew")
        .examples(
            "heddle fork base --set encoder.self.adjuster=eau --name base+eau\n"
            "heddle fork 3f2a --at 1200 --set train.lr=1e-4 --set train.epochs=5")
        .action([o](Context& context) { return fork(*o, context); });
}

}  // namespace heddle::app
