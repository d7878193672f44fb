// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/follow.h"
#include "app/cli/open_run.h"
#include "app/cli/process_options.h"
#include "app/cli/spec_source.h"
#include "app/cli/terminal.h"
#include "app/session/process/paths.h"
#include "app/session/requests/ask_owner.h"
#include "app/study/usable_runs.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/sha256.h"
#include "engine/run/engine.h"
#include "engine/spec/schedules.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

namespace heddle::app {
namespace {

struct TrainOptions {
    std::string spec, device;
    std::string from, fromCheckpoint = "best";  ///< run or file with the initial weights; empty: none
    RunChanges changes;
    std::optional<std::int64_t> epochs, steps;
    bool enqueue = false, dryRun = false;
    ProcessOptions processes;
};

/// The convenience options as assignments, which are validated uniformly.
std::vector<std::string> assignmentsOf(const TrainOptions& options) {
    std::vector<std::string> all = options.changes.assignments();
    if (!options.device.empty()) all.push_back("train.device=" + Json(options.device).dump());
    if (options.epochs) all.push_back(fmt::format("train.epochs={}", *options.epochs));
    if (options.steps) {
        all.push_back(fmt::format("train.steps={}", *options.steps));
        all.emplace_back("train.epochs=0");  // only --steps limits training, not the spec's epochs
    }
    return all;
}

int enqueueWithOwner(const Context& context, const RunSpec& spec) {
    constexpr double kTimeout = 30;  // seconds; the owner may be choosing a device
    const std::string run = askOwner(context.database, {EnqueueRun{spec}}, kTimeout);
    context.err << "queued with " << printable(storage::currentOwner(context.database).text()) << "\n";
    if (context.json)
        printRun(context, run);
    else
        context.out << run << "\n";
    return 0;
}

/// Assignments for the initial weights: a run's checkpoint or a published file.
std::vector<std::string> initialWeights(const TrainOptions& options, const Context& context) {
    if (!std::filesystem::is_regular_file(options.from))
        return startAssignments(chooseCheckpoint(options.from, options.fromCheckpoint, context));
    return startAssignments(std::filesystem::absolute(options.from).string(), sha256OfFile(options.from));
}

/// Prints what the run would be. Trains and records nothing.
int rehearse(const RunSpec& spec, const Context& context) {
    const Rehearsal found = context.engine()->rehearse(spec, {defaultCacheFolder(), "", ""});
    const std::vector<std::string> warnings = scheduleWarnings(spec.train, found.steps);
    if (context.json) {
        context.print({{"schema", "heddle.dry_run/1"},
                       {"examples", found.examples},
                       {"steps_per_epoch", found.stepsPerEpoch},
                       {"steps", found.steps > 0 ? Json(found.steps) : Json()},
                       {"vocab_source", found.vocabSource},
                       {"vocab_target", found.vocabTarget},
                       {"parameters", found.parameters},
                       {"warnings", warnings}});
        return 0;
    }
    Table table({"dry run", ""});
    table.right({1});
    table.add({"training examples", countText(found.examples)});
    table.add({"steps an epoch", countText(found.stepsPerEpoch)});
    table.add({"steps of the run", found.steps > 0 ? countText(found.steps) : "until train.patience ends it"});
    if (found.vocabSource > 0) table.add({"source vocabulary", countText(found.vocabSource)});
    if (found.vocabTarget > 0) table.add({"target vocabulary", countText(found.vocabTarget)});
    table.add({"parameters", countText(found.parameters)});
    context.out << table.text() << warningsText(warnings) << "the run can be trained; nothing was recorded\n";
    return 0;
}

int train(const TrainOptions& options, const Context& context) {
    std::vector<std::string> assignments = assignmentsOf(options);
    if (!options.from.empty())
        for (auto& one : initialWeights(options, context)) assignments.push_back(std::move(one));
    const RunSpec spec = readRunSpec(options.spec, assignments);
    requireUsable(spec);
    if (options.dryRun) return rehearse(spec, context);
    if (options.enqueue && !storage::currentOwner(context.database).empty()) return enqueueWithOwner(context, spec);
    if (const auto code = runInProcesses(options.processes, context)) return *code;
    const ProcessPlace place = placeOf(options.processes);
    if (!place.isLeader()) return joinRun(place, spec, context);
    context.engine();  // fails before a run is created that could not be trained
    auto session = openSession(context, "train", "; or add --enqueue to put the run into its queue", place);
    for (const auto& left : session->leftQueued())
        context.err << "run " << left << " waits from an earlier time: start it with heddle resume " << left << "\n";
    return followRun(context, std::move(session), [&](RunSession& owner) { return owner.submit(spec); });
}

}  // namespace

void addTrain(CommandBuilder& root) {
    auto o = std::make_shared<TrainOptions>();
    auto command = root.command("train", "Train a variant; everything goes into the run database");
    command.spec(o->spec);
    addRunChanges(command, o->changes, "initialisation, order of batches, and dropout");
    command
        .option("--from", o->from, "RUN|FILE",
                "Fine-tune: start with the weights and the tokenizer of this run, or with the weights of a published BERT (its "
                "model.safetensors); a new head is drawn")
        .option("--from-checkpoint", o->fromCheckpoint, "WHICH",
                "Checkpoint of that run: best (default), last, average, or a step")
        .device(o->device)
        .option("--epochs", o->epochs, "N", "Train for so many epochs")
        .option("--steps", o->steps, "N", "Train for so many optimizer steps")
        .excludes("--steps", "--epochs")
        .flag("--dry-run", o->dryRun,
              "Read the data, build the model, say how many steps it would be; train and record nothing")
        .flag("--enqueue", o->enqueue, "If another process trains into this database, put the run into its queue")
        .excludes("--dry-run", "--enqueue");
    addProcessOptions(command, o->processes);
    command
        .examples(
            "heddle train spec.json --name base --seed 2\n"
            "heddle train eau-full --set data.train.source=train.en.gz --set data.train.target=train.de.gz --epochs 5\n"
            "heddle train spec.json --dry-run\n"
            "heddle train spec.json --nproc 2 --set train.accumulate=2\n"
            "heddle train spec.json --set encoder.layers.1.self.residual.kind=grc --json\n"
            "heddle train mrpc.json --from pretrained --set train.lr=5e-5\n"
            "heddle train bert-mrpc.json --from bert-base-uncased/model.safetensors")
        .action([o](Context& context) { return train(*o, context); });
}

}  // namespace heddle::app
