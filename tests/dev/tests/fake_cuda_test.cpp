// SPDX-License-Identifier: Apache-2.0
// The fake CUDA device: what it notes, and what it refuses. These tests have a program of their own, because the device stays
// until the process ends.
#include "tests/dev/engine/fake_cuda.h"

#include "engine/base/error.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/embedding.h"
#include "engine/kernels/fused.h"
#include "engine/train/loop/setup.h"
#include "tests/dev/engine/launch_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

class FakeCuda : public testing::Test {
protected:
    void SetUp() override {
        useFakeCuda();
        setFakeKernels(FakeKernels::Heddle);
        launchLog().take();
    }
    static at::Tensor zeros(at::IntArrayRef sizes, at::ScalarType type = at::kFloat) {
        return at::zeros(sizes, type).to(at::Device(at::kCUDA, 0));
    }
    /// "name" or "name × 2", in the order of phases and names.
    static std::vector<std::string> launched() {
        std::vector<std::string> all;
        for (const LaunchCount& one : counted(launchLog().take()))
            all.push_back(one.name + (one.launches == 1 ? "" : " × " + std::to_string(one.launches)));
        return all;
    }
};

TEST_F(FakeCuda, IsADeviceOfTheEngine) {
    EXPECT_TRUE(chooseDevice("cuda").is_cuda());
    EXPECT_EQ(listDevices().at(1).name, "a fake CUDA device");
    EXPECT_EQ(logitsAtOnce(chooseDevice("cuda:0")), std::int64_t{1} << 30);
    const at::Tensor x = zeros({2, 3});
    EXPECT_TRUE(x.is_cuda());
    EXPECT_NE(kernelsFor({x}), nullptr);
    setFakeKernels(FakeKernels::None);
    EXPECT_EQ(kernelsFor({x}), nullptr);
}

TEST_F(FakeCuda, AProcessOfSeveralTakesTheGpuOfItsLocalRank) {
    TrainSpec train;
    const auto deviceFor = [&](int rank, int localRank, int localSize) {
        return deviceOf(train, {rank, 4, localRank, localSize, "host", 4000});
    };
    const auto why = [&](int rank, int localRank, int localSize) {
        try {
            deviceFor(rank, localRank, localSize);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    for (const char* open : {"auto", "cuda"}) {
        train.device = open;
        EXPECT_EQ(deviceFor(2, 0, 2), at::Device(at::kCUDA, 0)) << "the first of the second machine";
        EXPECT_THAT(why(1, 1, 2), HasSubstr("\"cuda:1\" does not exist")) << "the rank on this machine counts";
        EXPECT_EQ(deviceFor(3, 0, 1), at::Device(at::kCUDA, 0)) << "alone on its machine";
    }
    train.device = "cuda:0";
    EXPECT_EQ(deviceFor(1, 0, 1), at::Device(at::kCUDA, 0));
    EXPECT_THAT(why(0, 0, 2), HasSubstr("several processes cannot train on one GPU"));
    train.device = "cpu";
    EXPECT_TRUE(deviceFor(1, 1, 2).is_cpu());
}

TEST_F(FakeCuda, MemoryAndViewsLaunchNothing) {
    EXPECT_THAT(operatorsThatLaunchNothing(), UnorderedElementsAre("empty_strided", "empty.memory_format", "as_strided", "view",
                                                                   "_reshape_alias", "set_.source_Storage_storage_offset"));
    const at::Tensor x = zeros({4, 6});
    launchLog().take();
    const at::Tensor other = at::empty({24}, x.options()), apart = at::empty_strided({4, 6}, {1, 4}, x.options());
    at::empty({0}, x.options()).set_(x.storage(), 2, {2, 3}, {6, 1});
    const at::Tensor seen = x.view({2, 12}).narrow(1, 3, 6).select(0, 1).unsqueeze(0).expand({5, 6}).t();
    EXPECT_EQ(seen.sizes(), at::IntArrayRef({6, 5}));
    EXPECT_EQ(x.as_strided({2, 2}, {6, 2}).transpose(0, 1).stride(0), 2);
    EXPECT_EQ(x.reshape({3, 8}).const_data_ptr(), x.const_data_ptr());
    EXPECT_EQ(x.detach().contiguous().flatten().size(0), 24);
    EXPECT_THAT(launched(), IsEmpty());
}

TEST_F(FakeCuda, OperatorsWithAKernelAreOneLaunchEach) {
    const at::Tensor x = zeros({4, 6}), y = zeros({6, 5}), ids = zeros({7}, at::kLong);
    EXPECT_THAT(launched(), ElementsAre("copy_ × 3"));
    EXPECT_EQ(at::softmax(at::mm(x + 1, y), -1).sizes(), at::IntArrayRef({4, 5}));
    EXPECT_THAT(launched(), ElementsAre("_softmax", "add", "mm"));
    EXPECT_EQ(at::layer_norm(x, {6}, zeros({6}), zeros({6})).sizes(), x.sizes());
    EXPECT_THAT(launched(), ElementsAre("copy_ × 2", "native_layer_norm"));
    EXPECT_EQ(at::embedding(x, ids).sizes(), at::IntArrayRef({7, 6}));
    at::zeros({3}, x.options()).add_(1);
    x.t().contiguous();
    x.to(at::kBFloat16);
    EXPECT_THAT(launched(), ElementsAre("add", "copy_ × 2", "index_select", "zero_"));
}

TEST_F(FakeCuda, TheBackwardPassIsAPhaseOfItsOwn) {
    const at::Tensor w = zeros({6, 5}).set_requires_grad(true), x = zeros({4, 6});
    launchLog().take();
    {
        const StepPhaseScope update(StepPhase::Update);
        at::relu(at::mm(x, w)).sum().backward();
    }
    EXPECT_EQ(w.grad().sizes(), w.sizes());
    std::map<StepPhase, std::int64_t> counts;
    for (const LaunchCount& one : counted(launchLog().take())) counts[one.phase] += one.launches;
    EXPECT_EQ(counts[StepPhase::Update], 4) << "mm, relu, sum, and ones for the gradient";
    EXPECT_EQ(counts[StepPhase::Backward], 2) << "threshold_backward, mm";
}

TEST_F(FakeCuda, WhatTheHostWouldWaitForIsRefused) {
    const at::Tensor x = zeros({3});
    const auto refuses = [](const char* what) { return ThrowsMessage<Error>(HasSubstr(what)); };
    EXPECT_THAT([&] { x.sum().item<float>(); }, refuses("the host waits for the device: item"));
    EXPECT_THAT([&] { x.cpu(); }, refuses("a copy to the host"));
    EXPECT_THAT([&] { x.nonzero(); }, refuses("nonzero"));
    EXPECT_THAT([&] { at::equal(x, x); }, refuses("equal"));
}

TEST_F(FakeCuda, OurKernelsAreNotedByTheirNames) {
    const at::Tensor x = zeros({4, 64}).set_requires_grad(true), table = zeros({9, 64}).set_requires_grad(true);
    const at::Tensor ids = zeros({4}, at::kLong);
    const RandomKey key = randomKey(1, "drop");
    launchLog().take();
    (reluDropout(key, 0.1, x) * embeddedRows(table, ids)).sum().backward();
    std::vector<std::string> own;
    for (const LaunchCount& one : counted(launchLog().take()))
        if (one.isOwn) own.push_back(one.name);
    EXPECT_THAT(own, ElementsAre("dropout", "embeddingGradient", "reluDropoutBackward"));
    EXPECT_EQ(table.grad().sizes(), table.sizes());
}

/// A step's backward pass begins with the head, whose weight may be the table.
TEST_F(FakeCuda, LookUpsAddToTheGradientThatIsThere) {
    const at::Tensor table = zeros({9, 64}).set_requires_grad(true), ids = zeros({4}, at::kLong), order = zeros({4}, at::kLong);
    const auto backward = [&] { (embeddedRows(table, ids, order) * embeddedRows(table, ids)).sum().backward(); };
    const auto launches = [&] {
        std::map<std::string, std::int64_t> counts;
        for (const LaunchCount& one : counted(launchLog().take()))
            if (one.phase == StepPhase::Backward) counts[one.name] += one.launches;
        return counts;
    };
    launchLog().take();
    backward();
    std::map<std::string, std::int64_t> counts = launches();
    EXPECT_EQ(counts["zero_"], 1) << "one table of zeros for both";
    EXPECT_EQ(counts["sortedEmbeddingGradient"], 1);
    EXPECT_EQ(counts["embeddingGradient"], 1);
    EXPECT_EQ(counts["add"] + counts["add_"], 0);
    const void* const first = table.grad().const_data_ptr();
    backward();
    counts = launches();
    EXPECT_EQ(counts["zero_"] + counts["add"] + counts["add_"], 0);
    EXPECT_EQ(table.grad().const_data_ptr(), first);

    const at::Tensor some = torch::autograd::grad({embeddedRows(table, ids, order).sum()}, {table}, {zeros({})})[0];
    EXPECT_FALSE(some.is_same(table.grad())) << "a pass for chosen inputs returns their gradients";
    EXPECT_EQ(some.sizes(), table.sizes());
}

TEST_F(FakeCuda, AStacksInputIsOneKernelEachWay) {
    const at::Tensor table = zeros({9, 64}).set_requires_grad(true), ids = zeros({2, 3}, at::kLong),
                     order = zeros({6}, at::kLong);
    const at::Tensor fixed = zeros({3, 64}), trained = zeros({3, 64}).set_requires_grad(true), none;
    const auto own = [&](const at::Tensor& order_N, const at::Tensor& position_SD) {
        launchLog().take();
        EXPECT_TRUE(embedsInOnePass(table, ids, order_N));
        const at::Tensor x_BSD = embeddedInput({table, ids, order_N, position_SD, 2, randomKey(1, "drop"), 0.1});
        EXPECT_EQ(x_BSD.sizes(), at::IntArrayRef({2, 3, 64}));
        x_BSD.sum().backward();
        std::vector<std::string> names;
        for (const LaunchCount& one : counted(launchLog().take()))
            if (one.isOwn) names.push_back(one.name);
        return names;
    };
    EXPECT_THAT(own(order, none), ElementsAre("embed", "sortedEmbeddingGradient"));
    EXPECT_THAT(own(order, fixed), ElementsAre("embed", "sortedEmbeddingGradient"));
    EXPECT_THAT(own(order, trained), ElementsAre("embed", "dropout", "sortedEmbeddingGradient"));
    EXPECT_THAT(own(none, fixed), ElementsAre("embed", "dropout", "embeddingGradient"));
    EXPECT_EQ(trained.grad().sizes(), trained.sizes());
    EXPECT_FALSE(embedsInOnePass(table.to(at::kBFloat16), ids, order));
    EXPECT_FALSE(embedsInOnePass(zeros({9, 62}), ids, order)) << "rows are not whole quads";
    EXPECT_FALSE(embedsInOnePass(at::zeros({9, 64}), ids, order));
}

TEST_F(FakeCuda, WithoutOurKernelsDropoutIsTorchsOne) {
    setFakeKernels(FakeKernels::None);
    const at::Tensor x = zeros({4, 8});
    launchLog().take();
    EXPECT_EQ(dropout(randomKey(1, "drop"), 0.1, x).sizes(), x.sizes());
    EXPECT_THAT(launched(), ElementsAre("native_dropout"));
}

/// Counts the kernels that each function in the files of engine/kernels/cuda launches.
std::map<std::string, int> launchesInSources() {
    std::map<std::string, int> found;
    for (const char* file : {"attention.cu", "elements.cu", "optimizer.cu", "products.cpp", "rows.cu", "scores.cu"}) {
        std::ifstream source(std::string(HEDDLE_SOURCE_DIR) + "/engine/kernels/cuda/" + file);
        std::stringstream whole;
        whole << source.rdbuf();
        const std::string text = whole.str();
        static const std::regex kFunction(R"(void launch\(const (\w+)& a)"),
            kLaunch(R"(\blaunch(Rows|Blocks|Teams|Elements|Scores|Heads|Product)\b)");
        for (std::sregex_iterator it(text.begin(), text.end(), kFunction), end; it != end; ++it) {
            const auto begin = static_cast<std::size_t>(it->position());
            const std::string body = text.substr(begin, text.find("\nvoid launch(", begin + 1) - begin);
            found[it->str(1)] = static_cast<int>(
                std::distance(std::sregex_iterator(body.begin(), body.end(), kLaunch), std::sregex_iterator()));
        }
    }
    return found;
}

TEST(CudaKernelList, SaysHowManyKernelsAFunctionLaunches) {
    std::map<std::string, int> listed;
#define HEDDLE_LISTED(name, Arguments, launches) listed[#Arguments] = launches;
    HEDDLE_FOR_CUDA_KERNELS(HEDDLE_LISTED)
#undef HEDDLE_LISTED
    EXPECT_EQ(listed, launchesInSources());
}

}  // namespace
}  // namespace heddle
