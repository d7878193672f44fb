// SPDX-License-Identifier: Apache-2.0
// Replayed steps equal eager ones bit for bit, for models of the benchmark in float32 and bfloat16. On the CPU ReplayingGraph
// stands in for a graph, and the models are narrow; on CUDA real graphs are used where there is a device.
#include "engine/analysis/workload.h"
#include "engine/bench/workload_batches.h"
#include "engine/data/batching/batch.h"
#include "engine/device/cuda_module.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/train/step/step.h"
#include "tests/unit/engine/replaying_graph.h"
#include "tests/unit/engine/tiny_workload.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

struct CapturedModel {
    std::string workload;
    Precision precision;
    at::Device device;
    OptimizerKind optimizer = OptimizerKind::AdamW;
    std::int64_t microBatches = 1;  ///< in a step
};

std::string nameOf(const testing::TestParamInfo<CapturedModel>& tested) {
    std::string name = tested.param.workload + "_" + wordOf(tested.param.precision);
    if (tested.param.optimizer != OptimizerKind::AdamW) name += std::string("_") + wordOf(tested.param.optimizer);
    if (tested.param.microBatches > 1) name += "_" + std::to_string(tested.param.microBatches) + "_micro_batches";
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

class CapturedModels : public testing::TestWithParam<CapturedModel> {
protected:
    static constexpr std::int64_t kSteps = 8;

    void SetUp() override {
        if (GetParam().device.is_cpu()) return;
        if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
        if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    }

    /// A model and its steps on batches of two shapes.
    struct Trained {
        Trained(const CapturedModel& wanted, const MakeDeviceGraph& makeGraph)
            : workload(wanted.device.is_cpu() ? fewRows(testing_support::tinyWorkload(wanted.workload))
                                              : findWorkload(wanted.workload, WorkloadSize::Small)),
              batches(generateBatches(workload, 1)),
              data(workloadData(workload.spec)) {
            workload.spec.train.precision = wanted.precision;
            workload.spec.train.ema = 0.9;
            workload.spec.train.optimizer = wanted.optimizer;
            model = buildModel(workload.spec.variant.resolve(), 1);
            model->to(wanted.device);
            task = makeTask(workload.spec, data);
            step = std::make_unique<TrainStep>(*model, *task, workload.spec.train,
                                               TrainStep::Options{1, wanted.device, 0, makeGraph});
            const std::int64_t longest = longestSequence(model->variant());
            for (std::int64_t i = 0; i < kSteps; ++i) {
                std::vector<Batch> micro;
                for (std::int64_t k = 0; k < wanted.microBatches; ++k) {
                    const Batch& batch = batches[static_cast<std::size_t>(i + k) % batches.size()];
                    micro.push_back(roundedUp(batch, i % 3 == 0 ? 16 : 8, longest));
                }
                step->run(std::move(micro));
            }
            values = step->ring().drain();
        }
        static Workload fewRows(Workload workload) {
            workload.rows = std::min<std::int64_t>(workload.rows, 4);
            workload.sentences = std::min<std::int64_t>(workload.sentences, 16);
            return workload;
        }
        Workload workload;
        std::vector<Batch> batches;
        RunData data;
        std::unique_ptr<Model> model;
        std::unique_ptr<Task> task;
        std::unique_ptr<TrainStep> step;
        std::vector<StepValues> values;
    };
};

std::vector<CapturedModel> onTheCpu() {
    std::vector<CapturedModel> models;
    for (const char* workload : {"W1", "W5s-g", "W6", "W7"}) models.push_back({workload, Precision::Float32, at::kCPU});
    for (const char* workload : {"W1", "W7"}) models.push_back({workload, Precision::BFloat16, at::kCPU});
    models.push_back({"W1", Precision::Float32, at::kCPU, OptimizerKind::Muon});
    models.push_back({"W7", Precision::BFloat16, at::kCPU, OptimizerKind::Muon});
    for (const char* workload : {"W1", "W7"})
        models.push_back({workload, Precision::Float32, at::kCPU, OptimizerKind::AdamW, 3});
    return models;
}
std::vector<CapturedModel> onCuda() {
    std::vector<CapturedModel> models;
    for (const char* workload : {"W1", "W3-128", "W5-g", "W6", "W7"})
        for (const Precision precision : {Precision::Float32, Precision::BFloat16})
            models.push_back({workload, precision, at::Device(at::kCUDA, 0)});
    for (const Precision precision : {Precision::Float32, Precision::BFloat16})
        models.push_back({"W1", precision, at::Device(at::kCUDA, 0), OptimizerKind::Muon});
    for (const char* workload : {"W1", "W5-g", "W7"})
        models.push_back({workload, Precision::BFloat16, at::Device(at::kCUDA, 0), OptimizerKind::AdamW, 3});
    return models;
}
INSTANTIATE_TEST_SUITE_P(Cpu, CapturedModels, testing::ValuesIn(onTheCpu()), nameOf);
INSTANTIATE_TEST_SUITE_P(Cuda, CapturedModels, testing::ValuesIn(onCuda()), nameOf);

TEST_P(CapturedModels, TrainToTheSameBits) {
    configureComputeThread({2, true});
    const at::Device device = GetParam().device;
    const Trained eager(GetParam(), {});
    const Trained captured(GetParam(), device.is_cpu() ? test::replayingGraphs() : deviceGraphsOf(device));
    ASSERT_NE(captured.step->captured(), nullptr);
    EXPECT_EQ(captured.step->captured()->obstacle(), "");
    const StepsCaptured& counts = captured.step->captured()->counts();
    EXPECT_GE(counts.replays, counts.steps - 3) << "two shapes and perhaps the update of several micro-batches, each ran once";
    ASSERT_EQ(eager.values.size(), captured.values.size());
    for (std::size_t i = 0; i < eager.values.size(); ++i)
        EXPECT_EQ(eager.values[i].objective, captured.values[i].objective) << "step " << i;
    test::expectSameParameters(*eager.model, *captured.model);
    const NamedTensors averaged = captured.step->averagedWeights();
    EXPECT_FALSE(averaged.empty());
    for (const auto& [path, tensor] : eager.step->averagedWeights()) EXPECT_TRUE(at::equal(tensor, averaged.at(path))) << path;
}

/// Takes all memory of the device that is free, piece by piece.
std::vector<at::Tensor> takeAllOf(const at::Device& device) {
    std::vector<at::Tensor> taken;
    for (std::int64_t bytes = std::int64_t{1} << 30; bytes >= std::int64_t{1} << 20; bytes /= 4) {
        try {
            for (;;) taken.push_back(at::empty({bytes}, at::TensorOptions(at::kByte).device(device)));
        } catch (const c10::OutOfMemoryError&) {  // smaller pieces may still fit
        }
    }
    return taken;
}

TEST_P(CapturedModels, TrainAfterAnotherTrainingRanOutOfMemory) {
    const at::Device device = GetParam().device;
    if (device.is_cpu()) GTEST_SKIP() << "the computer's own memory is not filled";
    configureComputeThread({2, true});
    const Trained before(GetParam(), deviceGraphsOf(device));
    {
        const std::vector<at::Tensor> taken = takeAllOf(device);
        EXPECT_THROW(Trained(GetParam(), deviceGraphsOf(device)), c10::OutOfMemoryError);
    }
    const Trained after(GetParam(), deviceGraphsOf(device));
    EXPECT_EQ(after.step->captured()->obstacle(), "");
    test::expectSameParameters(*before.model, *after.model);
}

}  // namespace
}  // namespace heddle
