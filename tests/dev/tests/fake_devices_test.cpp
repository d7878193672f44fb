// SPDX-License-Identifier: Apache-2.0
// Which of several devices the engine asks and captures, and what a lost one leaves behind, on the fake device.
#include "engine/device/cuda_module.h"
#include "engine/device/device.h"
#include "engine/device/device_graph.h"
#include "engine/device/pinned_memory.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/train/step/step_input.h"
#include "tests/dev/engine/fake_cuda.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// Calls of the CUDA module and the devices for which they were made.
std::vector<std::string>& calls() {
    static std::vector<std::string> all;
    return all;
}

void note(const char* call, int device) { calls().push_back(std::string(call) + " " + std::to_string(device)); }
void noteCurrent(const char* call) { note(call, c10::impl::getDeviceGuardImpl(c10::kCUDA)->getDevice().index()); }

/// The fake module with four devices, whose calls are noted.
class FakeDevices : public testing::Test {
protected:
    void SetUp() override {
        useFakeCuda();
        setFakeKernels(FakeKernels::Heddle);
        fake_ = cudaTable();
        table() = *fake_;
        table().deviceCount = [] { return 4; };
        table().kernelsRunOn = [](int device) { return note("asked", device), device != 3; };
        table().isUsable = [](int device) { return note("used", device), device != 2; };
        table().useOwnStream = [](int device) { note("stream", device); };
        table().makePool = [](int) -> void* { return &calls(); };
        table().dropPool = [](void*) {};
        table().beginCapture = [](void* pool) { return noteCurrent("begin"), static_cast<CudaGraph*>(pool); };
        table().endCapture = [](CudaGraph*) { noteCurrent("end"); };
        table().replay = [](CudaGraph*) { noteCurrent("replay"); };
        table().dropGraph = [](CudaGraph*) { noteCurrent("drop"); };
        useCudaTable(&table());
        calls().clear();
    }
    void TearDown() override {
        useCudaTable(fake_);
        setFakeDeviceLost(false);
    }
    static CudaTable& table() {
        static CudaTable own;
        return own;
    }

private:
    const CudaTable* fake_ = nullptr;
};

TEST_F(FakeDevices, OnlyTheDeviceInQuestionIsAskedForKernelsAndOnce) {
    for (int i = 0; i < 2; ++i) EXPECT_NE(cudaKernelsOn(1), nullptr);
    EXPECT_THAT(calls(), ElementsAre("asked 1"));
    EXPECT_EQ(cudaKernelsOn(3), nullptr);
    EXPECT_THAT(calls(), ElementsAre("asked 1", "asked 3"));
}

TEST_F(FakeDevices, OnlyDevicesThatWereChosenAreAskedWhetherTheyAreLost) {
    chooseDevice("cuda:1");
    EXPECT_FALSE(isADeviceLost());
    EXPECT_THAT(calls(), Contains("used 1"));
    EXPECT_THAT(calls(), Each(testing::AnyOf("used 0", "used 1"))) << "0: of another test";
    chooseDevice("cuda:2");
    EXPECT_TRUE(isADeviceLost());
}

TEST_F(FakeDevices, AGraphIsCapturedAndReplayedOnItsDeviceWhichIsNotTheCurrentOne) {
    const auto graph = deviceGraphsOf(at::Device(at::kCUDA, 1))();
    calls().clear();
    graph->capture([] { noteCurrent("work"); });
    graph->replay();
    EXPECT_THAT(calls(), ElementsAre("begin 1", "work 1", "end 1", "replay 1"));
    noteCurrent("after");
    EXPECT_EQ(calls().back(), "after 0");
    calls().clear();
    EXPECT_THROW(graph->capture([] { throw std::runtime_error("broken off"); }), std::runtime_error);
    EXPECT_THAT(calls(), ElementsAre("begin 1", "drop 1"));
}

TEST_F(FakeDevices, PinnedMemoryThatIsReleasedAfterTheLossOfTheDeviceEndsNoProcess) {
    const at::Device device(at::kCUDA, 0);
    Batch batch;
    batch.rows = 1;
    batch.sourceWidth = batch.targetWidth = 2;
    batch.source = batch.targetIn = {4, 5};
    const StepNumbers numbers{};
    StepInput input(shapeOf(batch, numbers), device);
    setFakeDeviceLost(true);
    input.set(batch, numbers);
    idsToDevice({1, 2, 3}, {3}, device);
    const at::Tensor host = pinnedTensor({2, 3}, at::kFloat);
    EXPECT_EQ(host.sizes(), at::IntArrayRef({2, 3}));
    EXPECT_TRUE(host.is_cpu());
    EXPECT_THAT(calls(), IsEmpty());
}

}  // namespace
}  // namespace heddle
