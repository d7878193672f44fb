// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/train_bench.h"

#include "engine/analysis/spread.h"
#include "engine/base/error.h"
#include "engine/bench/workload_batches.h"
#include "engine/data/batching/batch.h"
#include "engine/device/step_clock.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/gemm_ceiling.h"
#include "engine/spec/cost.h"
#include "engine/train/loop/reports.h"
#include "engine/train/loop/setup.h"
#include "engine/train/report/gate_watch.h"
#include "engine/train/report/telemetry.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <torch/version.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

namespace heddle {
namespace {

constexpr double kMib = 1 << 20;

/// Discards the events that a recorder would store.
class UnrecordedEvents final : public EventSink {
public:
    Pressure emit(Event) override { return Pressure::None; }
    Pressure pressure() const override { return Pressure::None; }
};

/// A training run without files: the trainer's model, step and telemetry on batches in memory.
class BenchedTraining {
public:
    BenchedTraining(const RunSpec& spec, const at::Device& device, std::vector<Batch> batches)
        : batches_(std::move(batches)),
          model_(buildModel(spec.variant.resolve(), spec.seed)),
          task_(makeTask(spec, workloadData(spec))),
          emitter_(sink_, "bench", 1),
          record_(spec.record),
          clock_(device) {
        model_->to(device);
        const MakeDeviceGraph makeGraph = deviceGraphsOf(device);
        const std::int64_t multiple = batchMultiple(spec.train, makeGraph);
        const std::int64_t longest = longestSequence(model_->variant());
        for (Batch& batch : batches_) batch = orderedFor(device, roundedUp(batch, multiple, longest));
        step_ = std::make_unique<TrainStep>(*model_, *task_, spec.train, TrainStep::Options{spec.seed, device, 0, makeGraph});
        telemetry_ = std::make_unique<Telemetry>(*step_, *task_, spec.record, emitter_);
        gates_ = std::make_unique<GateWatch>(model_->variant(), device);
    }

    /// Runs the next step; returns the seconds until its calls returned.
    double step() {
        const double began = StepClock::now();
        const Batch& batch = batches_[static_cast<std::size_t>(done_) % batches_.size()];
        const std::int64_t number = ++done_, every = record_.histogramsEvery;
        if (every > 0 && gates_->watchesAnything() && (number == 1 || number % every == 0)) step_->watchNext(*gates_);
        const std::int64_t captures = captureCounts().captures;
        step_->run(batch);
        const double took = StepClock::now() - began;
        if (captureCounts().captures > captures) captures_.push_back(took);
        telemetry_->stepDone({batch.labelCount, batch.workTokens(), took});
        emitter_.setStep(number);
        if (telemetry_->drainIfDue(sums_)) gates_->emit(emitter_);
        return took;
    }

    /// Runs one more step; returns its label-smoothed loss per token.
    double lossOfStep() {
        telemetry_->drain(sums_);
        const double before = sums_.objective, labels = sums_.labels;
        step();
        telemetry_->drain(sums_);
        return (sums_.objective - before) / (sums_.labels - labels);
    }

    /// Runs `steps` steps from the first batch on; returns their mean in seconds and appends the single times.
    double repeat(std::int64_t steps, std::vector<double>& single) {
        done_ = (done_ + count() - 1) / count() * count();
        const double began = clock_.nowSynchronized();
        double last = began;
        for (std::int64_t i = 0; i < steps; ++i) {
            step();
            const double now = StepClock::now();
            single.push_back(now - last);
            last = now;
        }
        return (clock_.nowSynchronized() - began) / static_cast<double>(steps);
    }

    /// Seconds of the steps that were captured.
    const std::vector<double>& captures() const { return captures_; }
    StepsCaptured captureCounts() const { return step_->captured() ? step_->captured()->counts() : StepsCaptured{}; }
    const std::vector<Batch>& batches() const { return batches_; }
    std::int64_t count() const { return static_cast<std::int64_t>(batches_.size()); }
    const Model& model() const { return *model_; }
    const StepClock& clock() const { return clock_; }

private:
    std::vector<Batch> batches_;
    std::vector<double> captures_;
    std::unique_ptr<Model> model_;
    std::unique_ptr<Task> task_;
    UnrecordedEvents sink_;
    Emitter emitter_;
    RecordSpec record_;
    StepClock clock_;
    std::unique_ptr<TrainStep> step_;
    std::unique_ptr<Telemetry> telemetry_;
    std::unique_ptr<GateWatch> gates_;
    EpochSums sums_;
    std::int64_t done_ = 0;
};

constexpr int kWaitedSteps = 5;  ///< steps after the repeats; the host waits for the end of each

/// Peak memory of the process, in MiB.
double peakMib(const at::Device& device) {
    if (device.is_cuda()) {
        const auto stats = at::getDeviceAllocator(at::kCUDA)->getDeviceStats(device.index());
        return static_cast<double>(stats.reserved_bytes[0].peak) / kMib;
    }
    return static_cast<double>(measureMemory().peakBytes) / kMib;
}

/// Averages tokens and FLOPs over the steps of a repeat, which begins with the first batch.
void countWork(const BenchedTraining& training, std::int64_t steps, TrainBenchRow& row) {
    double flops = 0, tokens = 0, source = 0, padded = 0;
    std::set<std::pair<std::int64_t, std::int64_t>> shapes;
    for (std::int64_t i = 0; i < steps; ++i) {
        const Batch& batch = training.batches()[static_cast<std::size_t>(i % training.count())];
        flops += stepFlops(training.model().variant(), rowLengths(batch), batch.labelCount);
        tokens += static_cast<double>(batch.workTokens());
        source += static_cast<double>(batch.sourceWidth > 0 ? batch.sourceTokens : batch.labelCount);
        padded += static_cast<double>(batch.rows * (batch.sourceWidth > 0 ? batch.sourceWidth : batch.targetWidth));
    }
    for (const Batch& batch : training.batches()) shapes.emplace(batch.sourceWidth, batch.targetWidth);
    const auto n = static_cast<double>(steps);
    row.gflopPerStep = flops / n / 1e9;
    row.tokensPerStep = tokens / n;
    row.fill = source / padded;
    row.shapes = static_cast<std::int64_t>(shapes.size());
}

void timeSteps(BenchedTraining& training, const TrainBenchRequest& request, TrainBenchRow& row) {
    std::vector<double> single, means, host;
    for (std::int64_t i = 0; i < row.repeats; ++i) {
        means.push_back(training.repeat(row.steps, single));
        if (request.progress)
            request.progress(request.workload.name + ": repeat " + std::to_string(i + 1) + " of " +
                             std::to_string(row.repeats));
    }
    row.stepMs = 1e3 * median(means);
    row.stepMsLeast = 1e3 * *std::min_element(means.begin(), means.end());
    row.stepMsMost = 1e3 * *std::max_element(means.begin(), means.end());
    const bool isWaitedFor = training.clock().isAsynchronous();
    if (isWaitedFor) single.clear();  // they are only the times until the calls returned
    for (int i = 0; i < kWaitedSteps; ++i) {
        const double began = training.clock().nowSynchronized();
        host.push_back(training.step());
        const double ended = training.clock().nowSynchronized();
        if (isWaitedFor) single.push_back(ended - began);
    }
    row.hostMs = 1e3 * median(host);
    row.singleStepMs = 1e3 * median(single);
}

}  // namespace

TrainBenchRow runTrainBench(const TrainBenchRequest& request) {
    return runTrainBench(request, generateBatches(request.workload, request.seed));
}

TrainBenchRow runTrainBench(const TrainBenchRequest& request, std::vector<Batch> batches) {
    const Workload& workload = request.workload;
    RunSpec spec = workload.spec;
    spec.train.precision = request.precision;
    spec.train.deterministic = request.deterministic;
    spec.seed = request.seed;
    const at::Device device = chooseDevice(request.device);
    const Precision precision = precisionFor(request.precision, device);
    allowTensorFloat32(device, precision);
    const ComputeSettings compute = configureComputeThread({static_cast<int>(request.threads), spec.train.deterministic});

    TrainBenchRow row;
    row.workload = workload.name;
    row.device = device.is_cuda() ? "cuda:" + std::to_string(static_cast<int>(device.index())) : "cpu";
    row.precision = wordOf(precision);
    row.deterministic = compute.deterministic;
    row.torch = TORCH_VERSION;
    row.threads = compute.threads;
    BenchedTraining training(spec, device, std::move(batches));
    row.parameters = training.model().parameters().count();
    if (training.count() == 0)
        throwInvalid("too few sentences for one batch", workload.name, "use more sentences (a larger --pool)");

    row.startSeconds = processAge();
    row.firstLoss = training.lossOfStep();
    row.firstStepSeconds = processAge();
    const GemmCeiling ceiling = measureGemmCeiling(device, precision);
    row.gemmGflops = ceiling.gflops;
    row.gemm = ceiling.product;

    const bool isMixed = workload.lengths != Workload::Lengths::Full;
    const auto chosen = [&](std::int64_t wanted, std::int64_t cpu, std::int64_t cuda) {
        return wanted > 0 ? wanted : device.is_cuda() ? cuda : cpu;
    };
    row.steps = isMixed ? training.count() : chosen(request.steps, 10, 100);
    row.repeats = chosen(request.repeats, 3, 5);
    std::int64_t warmUp = chosen(request.warmup, 3, 30);
    if (isMixed) warmUp = std::max(warmUp, training.count());
    if (request.progress) request.progress(workload.name + ": warm-up, " + std::to_string(warmUp) + " steps");
    for (std::int64_t i = 0; i < warmUp; ++i) training.step();

    countWork(training, row.steps, row);
    const StepsCaptured before = training.captureCounts();
    timeSteps(training, request, row);
    if (const StepsCaptured after = training.captureCounts(); after.steps > 0)
        row.replayedShare =
            static_cast<double>(after.replays - before.replays) / static_cast<double>(after.steps - before.steps);
    row.tokensPerSecond = row.tokensPerStep / (row.stepMs / 1e3);
    row.lastLoss = training.lossOfStep();
    if (!training.captures().empty()) row.captureMs = 1e3 * median(training.captures());
    row.captures = training.captureCounts().captures;
    row.evictions = training.captureCounts().evictions;
    row.peakMib = peakMib(device);
    return row;
}

std::optional<double> processAge() {
    std::ifstream stat("/proc/self/stat"), uptime("/proc/uptime");
    std::string text;
    double sinceBoot = 0;
    if (!std::getline(stat, text) || !(uptime >> sinceBoot)) return std::nullopt;
    // The second field is the program's name in brackets and may hold anything; the start is the 22nd, in clock ticks.
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int field = 3; field < 22; ++field) fields >> skipped;
    double ticks = 0;
    if (!(fields >> ticks)) return std::nullopt;
    return sinceBoot - ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace heddle
