// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/engine/launch_count.h"

#include "engine/bench/workload_batches.h"
#include "engine/data/batching/batch.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/train/loop/setup.h"
#include "engine/train/step/step.h"
#include "tests/dev/engine/fake_cuda.h"
#include "tests/dev/engine/launch_log.h"

namespace heddle {
namespace {

constexpr std::int64_t kWarmUp = 2;  // the first step allocates what later ones find

/// What a step launches when the device has these kernels.
std::vector<Launch> stepLaunches(TrainStep& step, const Batch& batch, FakeKernels kernels) {
    setFakeKernels(kernels);
    for (std::int64_t i = 0; i < kWarmUp; ++i) step.run(batch);
    launchLog().take();
    step.run(batch);
    return launchLog().take();
}

}  // namespace

LaunchCounts runLaunchCount(const LaunchCountRequest& request) {
    useFakeCuda();
    setFakeKernels(FakeKernels::Heddle);
    RunSpec spec = request.workload.spec;
    spec.train.precision = request.precision;
    spec.seed = request.seed;
    const at::Device device = chooseDevice("cuda");
    configureComputeThread({0, spec.train.deterministic});
    const auto model = buildModel(spec.variant.resolve(), spec.seed);
    model->to(device);
    const auto task = makeTask(spec, workloadData(spec));
    const MakeDeviceGraph asIfCaptured = [] { return nullptr; };  // never called: it decides how batches are filled up
    const Batch batch =
        orderedFor(device, roundedUp(generateBatches(request.workload, request.seed).front(),
                                     batchMultiple(spec.train, asIfCaptured), longestSequence(model->variant())));
    TrainStep step(*model, *task, spec.train, TrainStep::Options{spec.seed, device});

    LaunchCounts counts;
    counts.workload = request.workload.name;
    counts.precision = wordOf(precisionFor(request.precision, device));
    counts.parameters = model->parameters().count();
    counts.inOrder = stepLaunches(step, batch, FakeKernels::Heddle);
    counts.withKernels = counted(counts.inOrder);
    counts.withoutKernels = counted(stepLaunches(step, batch, FakeKernels::None));
    setFakeKernels(FakeKernels::Heddle);
    return counts;
}

}  // namespace heddle
