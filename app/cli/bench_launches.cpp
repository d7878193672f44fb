// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_launches.h"

#include "engine/run/engine.h"
#include "engine/run/launch_counts.h"

#include <ostream>

namespace heddle::app {
namespace {

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

}  // namespace

int countLaunches(const std::vector<std::string>& workloads, const BenchSettings& settings, const Context& context) {
    const auto engine = context.engine();
    std::vector<std::string> head{"workload", "precision", "kernels"};
    for (const StepPhase phase : kStepPhases) head.push_back(stepPhaseName(phase));
    head.emplace_back("all");
    Table table(head);
    table.right({3, 4, 5, 6, 7, 8, 9});
    Json rows = Json::array();
    for (const std::string& workload : workloads) {
        context.err << workload << std::endl;
        LaunchCountRequest request;
        request.workload = findWorkload(workload, settings.small ? WorkloadSize::Small : WorkloadSize::Full);
        if (!settings.precision.empty()) request.precision = settings.precision;
        request.seed = static_cast<std::uint64_t>(settings.seed.value_or(1));
        const LaunchCounts counts = engine->countLaunches(request);
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

}  // namespace heddle::app
