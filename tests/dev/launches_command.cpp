// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_rows.h"
#include "tests/dev/commands.h"
#include "tests/dev/engine/checked.h"

#include <ostream>

namespace heddle::dev {
namespace {

using app::BenchSettings;

constexpr const char* kCounted =
    "A launch is one call of a kernel of Heddle's, or of an operator of ATen that has a kernel on CUDA, in one training step "
    "as it "
    "is captured; views and allocations launch nothing. The calls are counted on a fake device, not by a profiler: an operator "
    "may "
    "launch more than one kernel.";

struct CountedStep {
    const LaunchCounts& of;
    const char* kernels;  ///< "heddle" or "torch"
    const std::vector<LaunchCount>& launches;

    std::int64_t all() const {
        std::int64_t sum = 0;
        for (const StepPhase phase : kStepPhases) sum += launchesOf(launches, phase);
        return sum;
    }
};

Json stepDocument(const CountedStep& step) {
    Json row{{"workload", step.of.workload},
             {"precision", step.of.precision},
             {"parameters", step.of.parameters},
             {"kernels", step.kernels},
             {"all", step.all()}};
    for (const StepPhase phase : kStepPhases) row[stepPhaseName(phase)] = launchesOf(step.launches, phase);
    row["launches"] = Json::array();
    for (const LaunchCount& one : step.launches)
        row["launches"].push_back(
            {{"name", one.name}, {"phase", stepPhaseName(one.phase)}, {"heddle", one.isOwn}, {"count", one.launches}});
    return row;
}

std::vector<std::string> stepCells(const CountedStep& step) {
    std::vector<std::string> cells{step.of.workload, step.of.precision, step.kernels};
    for (const StepPhase phase : kStepPhases) cells.push_back(std::to_string(launchesOf(step.launches, phase)));
    cells.push_back(std::to_string(step.all()));
    return cells;
}

int countLaunches(const app::BenchOptions& options, const app::Context& context) {
    const BenchSettings& settings = options.settings;
    std::vector<std::string> head{"workload", "precision", "kernels"};
    for (const StepPhase phase : kStepPhases) head.push_back(stepPhaseName(phase));
    head.emplace_back("all");
    app::Table table(head);
    table.right({3, 4, 5, 6, 7, 8, 9});
    Json rows = Json::array();
    for (const std::string& workload : app::chosenWorkloads(options)) {
        context.err << workload << std::endl;
        LaunchCountRequest request;
        request.workload = app::chosenWorkload(workload, settings);
        if (!settings.precision.empty()) request.precision = app::chosenPrecision(settings.precision);
        request.seed = static_cast<std::uint64_t>(settings.seed.value_or(1));
        const LaunchCounts counts = checkedCount(request);
        for (const CountedStep& step :
             {CountedStep{counts, "torch", counts.withoutKernels}, CountedStep{counts, "heddle", counts.withKernels}}) {
            table.add(stepCells(step));
            rows.push_back(stepDocument(step));
        }
    }
    context.print(
        {{"schema", "heddle.launches/1"}, {"size", settings.small ? "small" : "full"}, {"counted", kCounted}, {"rows", rows}},
        table.text() + kCounted + "\n");
    return 0;
}

}  // namespace

void addLaunches(app::CommandBuilder& bench) {
    auto o = std::make_shared<app::BenchOptions>();
    auto launches = bench.command(
        "launches",
        "Count what a step launches on a GPU, with Heddle's kernels and without; needs no GPU and measures no time");
    app::addWorkloads(launches, *o)
        .option("--precision", o->settings.precision, "TYPE", "fp32, tf32 or bf16 (default)")
        .option("--seed", o->settings.seed, "N", "Seed of batches and weights (default: 1)")
        .examples("heddle-dev bench launches W1 W7")
        .action([o](app::Context& context) { return countLaunches(*o, context); });
}

}  // namespace heddle::dev
