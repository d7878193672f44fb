// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_rows.h"
#include "tests/dev/commands.h"
#include "tests/dev/engine/checked.h"

#include <fmt/format.h>

#include <ostream>

namespace heddle::dev {
namespace {

using app::BenchSettings;

constexpr const char* kCounted =
    "A launch is one call of a kernel of Heddle's, or of an operator of ATen that has a kernel on CUDA, in one training step "
    "as it is captured; views and allocations launch nothing. The calls are counted on a fake device, not by a profiler: "
    "an operator may launch more than one kernel. GB: operands and results of all launches. Model: their time by a model "
    "of an H100, of which shares are to be trusted, not digits.";

struct CountedStep {
    const LaunchCounts& of;
    const char* kernels;  ///< "heddle" or "torch"
    const std::vector<LaunchCount>& launches;

    std::int64_t all() const {
        std::int64_t sum = 0;
        for (const StepPhase phase : kStepPhases) sum += launchesOf(launches, phase);
        return sum;
    }
    bool hasCost() const { return &launches == &of.withKernels; }  ///< an operator of torch may stand for several
    double gigabytes() const { return total(&LaunchCount::bytes) / 1e9; }
    double milliseconds() const { return total(&LaunchCount::seconds) * 1e3; }

private:
    double total(double LaunchCount::*figure) const {
        double sum = 0;
        for (const LaunchCount& one : launches) sum += one.*figure;
        return sum;
    }
};

Json stepDocument(const CountedStep& step) {
    Json row{{"workload", step.of.workload},
             {"precision", step.of.precision},
             {"parameters", step.of.parameters},
             {"kernels", step.kernels},
             {"all", step.all()}};
    if (step.hasCost()) row["gigabytes"] = step.gigabytes(), row["model_ms"] = step.milliseconds();
    for (const StepPhase phase : kStepPhases) row[stepPhaseName(phase)] = launchesOf(step.launches, phase);
    row["launches"] = Json::array();
    for (const LaunchCount& one : step.launches) {
        Json launch{{"name", one.name}, {"phase", stepPhaseName(one.phase)}, {"heddle", one.isOwn}, {"count", one.launches}};
        if (step.hasCost()) launch["gigabytes"] = one.bytes / 1e9, launch["model_ms"] = one.seconds * 1e3;
        row["launches"].push_back(launch);
    }
    return row;
}

std::vector<std::string> stepCells(const CountedStep& step) {
    std::vector<std::string> cells{step.of.workload, step.of.precision, step.kernels};
    for (const StepPhase phase : kStepPhases) cells.push_back(std::to_string(launchesOf(step.launches, phase)));
    cells.push_back(std::to_string(step.all()));
    cells.push_back(step.hasCost() ? fmt::format("{:.2f}", step.gigabytes()) : "-");
    cells.push_back(step.hasCost() ? fmt::format("{:.2f} ms", step.milliseconds()) : "-");
    return cells;
}

/// The launches of a step, one after the other.
std::string listOf(const LaunchCounts& counts) {
    app::Table table({"", "phase", "launch", "MB", "model", "operands and results"});
    table.right({0, 3, 4});
    int number = 0;
    for (const Launch& one : counts.inOrder)
        table.add({std::to_string(++number), stepPhaseName(one.phase), one.name, fmt::format("{:.2f}", one.cost.bytes / 1e6),
                   fmt::format("{:.1f} µs", one.cost.seconds * 1e6), one.cost.sizes});
    return table.text();
}

int countLaunches(const app::BenchOptions& options, bool lists, const app::Context& context) {
    const BenchSettings& settings = options.settings;
    std::vector<std::string> head{"workload", "precision", "kernels"};
    for (const StepPhase phase : kStepPhases) head.push_back(stepPhaseName(phase));
    for (const char* column : {"all", "GB", "model"}) head.emplace_back(column);
    app::Table table(head);
    table.right({3, 4, 5, 6, 7, 8, 9, 10, 11});
    Json rows = Json::array();
    std::string listed;
    for (const std::string& workload : app::chosenWorkloads(options)) {
        context.err << workload << std::endl;
        LaunchCountRequest request;
        request.workload = app::chosenWorkload(workload, settings);
        if (!settings.precision.empty()) request.precision = app::chosenPrecision(settings.precision);
        request.seed = static_cast<std::uint64_t>(settings.seed.value_or(1));
        const LaunchCounts counts = checkedCount(request);
        if (lists) listed += listOf(counts) + "\n";
        for (const CountedStep& step :
             {CountedStep{counts, "torch", counts.withoutKernels}, CountedStep{counts, "heddle", counts.withKernels}}) {
            table.add(stepCells(step));
            rows.push_back(stepDocument(step));
        }
    }
    context.print(
        {{"schema", "heddle.launches/1"}, {"size", settings.small ? "small" : "full"}, {"counted", kCounted}, {"rows", rows}},
        listed + table.text() + kCounted + "\n");
    return 0;
}

}  // namespace

void addLaunches(app::CommandBuilder& bench) {
    auto o = std::make_shared<app::BenchOptions>();
    auto lists = std::make_shared<bool>(false);
    auto launches = bench.command(
        "launches",
        "Count what a step launches and moves on a GPU, with Heddle's kernels and without; needs no GPU and measures no time");
    app::addWorkloads(launches, *o)
        .option("--precision", o->settings.precision, "TYPE", "fp32, tf32 or bf16 (default)")
        .option("--seed", o->settings.seed, "N", "Seed of batches and weights (default: 1)")
        .flag("--list", *lists, "Also print every launch of a step with Heddle's kernels, in order")
        .examples("heddle-dev bench launches W1 W7\nheddle-dev bench launches W5-g --list")
        .action([o, lists](app::Context& context) { return countLaunches(*o, *lists, context); });
}

}  // namespace heddle::dev
