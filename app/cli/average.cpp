// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/session/requests/averages.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/split.h"
#include "engine/run/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <set>

namespace heddle::app {
namespace {

struct AverageOptions {
    std::string run, steps, output;
    std::optional<std::int64_t> last;
};

/// "400,500,600" in ascending order.
std::vector<std::int64_t> stepsOf(const std::string& text) {
    std::set<std::int64_t> steps;
    for (const std::string_view part : splitAt(text, ',')) {
        std::int64_t step = -1;
        const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), step);
        if (problem != std::errc() || end != part.data() + part.size() || step < 0 || !steps.insert(step).second)
            throw Error(ErrorCode::Usage, "not a list of distinct steps: \"" + text + "\"", "--steps",
                        "separate the steps by commas, for example --steps 400,500,600");
    }
    return {steps.begin(), steps.end()};
}

std::vector<std::int64_t> chosenSteps(const AverageOptions& options, storage::RunQuery& query, const storage::RunRecord& run) {
    if (!options.steps.empty()) return stepsOf(options.steps);
    if (options.last) return lastSteps(query, run, *options.last);
    throw Error(ErrorCode::Usage, "no checkpoints given", "heddle average",
                "add --last K or --steps S1,S2,…; heddle runs show " + run.id + " lists what the run keeps");
}

int average(const AverageOptions& options, const Context& context) {
    const auto query = openDatabase(context);
    const storage::RunRecord run = findRun(*query, options.run);
    const AveragedSteps averaged{run, chosenSteps(options, *query, run)};
    const std::shared_ptr<Engine> engine = context.engine();
    Json document{{"schema", "heddle.average/1"}, {"run", run.id}, {"steps", averaged.steps}};
    const std::string what = fmt::format("mean of {} checkpoints of run {} ({}), steps {}", averaged.steps.size(),
                                         printable(run.name), run.id, fmt::join(averaged.steps, ", "));
    if (!options.output.empty()) {
        const CheckpointWritten written = exportAverage(*query, context.database, *engine, averaged, options.output);
        document.update({{"checkpoint", nullptr},
                         {"path", options.output},
                         {"weights_sha256", written.weightsSha256},
                         {"bytes", written.bytes}});
        context.print(document, fmt::format("{}\nwritten to {}\n", what, printable(options.output)));
        return 0;
    }
    const auto owner = ownDatabase(context.database, "heddle average", "; or write the mean to a file with --output FILE");
    const storage::CheckpointRecord made = addAverage(context.database, changerOf(*owner), *engine, averaged);
    const auto artifacts = storage::artifactFolder(std::filesystem::absolute(context.database).string());
    document.update({{"checkpoint", made.kind},
                     {"path", (std::filesystem::path(artifacts) / made.folder).string()},
                     {"weights_sha256", made.weightsSha256},
                     {"bytes", made.bytes}});
    context.print(document, fmt::format("{}\ncheckpoint {}: heddle evaluate --run {} --checkpoint {}\n", what, made.kind,
                                        run.id, made.kind));
    return 0;
}

}  // namespace

void addAverage(CommandBuilder& root) {
    auto o = std::make_shared<AverageOptions>();
    root.command("average", "Make the mean of the weights of a run's checkpoints: one more checkpoint, to evaluate and use")
        .run(o->run)
        .option("--last", o->last, "K",
                "Of the last K checkpoints (kinds step and last; a run keeps train.keep_last of the first kind)")
        .option("--steps", o->steps, "S1,S2,…", "Of the checkpoints of these steps")
        .excludes("--last", "--steps")
        .option("--output", o->output, "FILE", "Write the weights alone there, as safetensors, and record nothing")
        .examples(
            "heddle average base --last 5\n"
            "heddle average base --steps 400,500,600 --output mean.safetensors\n"
            "heddle translate --run base --checkpoint average 'a man sleeps .'\n"
            "heddle evaluate --run base --average 5         # makes it, if it is not there, and records what it is worth")
        .action([o](Context& context) { return average(*o, context); });
}

}  // namespace heddle::app
