// SPDX-License-Identifier: Apache-2.0
// CUDA graphs and the memory that they share, on a device; skipped where there is none. Captured training steps are tested in
// tests/unit/engine/train/captured_models_test.cpp.
#include "engine/device/device_graph.h"

#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

class CudaGraphs : public testing::Test {
protected:
    void SetUp() override {
        if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
        if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
        makeGraph_ = deviceGraphsOf(at::Device(at::kCUDA, 0));
        x_ = at::ones({1000}, at::TensorOptions(at::kFloat).device(at::kCUDA, 0));
        EXPECT_EQ((x_ + 1).sum().item<float>(), 2000) << "worked through once, before a capture";
    }
    /// Captures x + 1 and replays it on other values.
    void expectThatACaptureWorks() {
        const auto graph = makeGraph_();
        at::Tensor sum;
        x_.fill_(1);
        graph->capture([&] { sum = (x_ + 1).sum(); });
        x_.fill_(2);
        graph->replay();
        EXPECT_EQ(sum.item<float>(), 3000);
    }
    MakeDeviceGraph makeGraph_;
    at::Tensor x_;
};

TEST_F(CudaGraphs, AreCapturedAfterAllOthersWereReleased) {
    for (int i = 0; i < 3; ++i) expectThatACaptureWorks();  // none is alive at the next
}

TEST_F(CudaGraphs, AreCapturedAfterOneThatBrokeOff) {
    for (int i = 0; i < 2; ++i) {
        EXPECT_THROW(makeGraph_()->capture([&] { (x_ + 1).sum().item<float>(); }), c10::Error) << "it waits for the device";
        EXPECT_EQ((x_ * 0 + 1).sum().item<float>(), 1000) << "the stream is in order again";
        expectThatACaptureWorks();
    }
}

}  // namespace
}  // namespace heddle
