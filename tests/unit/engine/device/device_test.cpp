// SPDX-License-Identifier: Apache-2.0
#include "engine/device/device.h"

#include "engine/base/error.h"
#include "engine/base/threads.h"
#include "engine/device/precision.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/train/train_support.h"

#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace heddle {
namespace {

TEST(Device, NamesThatAreNotThereAreRefused) {
    EXPECT_TRUE(chooseDevice("cpu").is_cpu());
    for (const char* name : {"gpu", "cuda:x", "cuda:", "cudax", "cuda:999"}) EXPECT_THROW(chooseDevice(name), Error) << name;
    const auto devices = listDevices();
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(devices.front().id, "cpu");
    EXPECT_GT(devices.front().bytes, 0U);
    if (devices.size() == 1) {
        EXPECT_TRUE(chooseDevice("auto").is_cpu());
        EXPECT_THROW(chooseDevice("cuda"), Error);
    }
}

TEST(Device, ThreadsAreWhatWasAskedFor) {
    EXPECT_EQ(configureComputeThread({1, true}).threads, 1);
    EXPECT_EQ(configureComputeThread({0, true}).threads, physicalCores());
    EXPECT_EQ(configureComputeThread({1, true}).threads, 1);
}

TEST(Precision, AutocastLastsAsLongAsTheScope) {
    const auto a = at::ones({2, 2}), b = at::ones({2, 2});
    {
        const AutocastScope scope(at::kCPU, Precision::BFloat16);
        EXPECT_EQ(at::mm(a, b).scalar_type(), at::kBFloat16);
    }
    EXPECT_EQ(at::mm(a, b).scalar_type(), at::kFloat);
    const AutocastScope scope(at::kCPU, Precision::Float32);
    EXPECT_EQ(at::mm(a, b).scalar_type(), at::kFloat);
}

TEST(Precision, AutoIsWhatTheDeviceIsFastIn) {
    const at::Device gpu(at::kCUDA, 0);
    EXPECT_EQ(precisionFor(Precision::Auto, at::kCPU), Precision::Float32);
    EXPECT_EQ(precisionFor(Precision::Auto, gpu), Precision::BFloat16);
    for (const at::Device& device : {at::Device(at::kCPU), gpu}) {
        for (const Precision stated : {Precision::Float32, Precision::BFloat16})
            EXPECT_EQ(precisionFor(stated, device), stated);
    }
    EXPECT_EQ(precisionFor(Precision::TensorFloat32, gpu), Precision::TensorFloat32);
    EXPECT_THROW(precisionFor(Precision::TensorFloat32, at::kCPU), Error);
    EXPECT_EQ(readingPrecisionFor(Precision::TensorFloat32, at::kCPU), Precision::Float32);
    EXPECT_EQ(readingPrecisionFor(Precision::TensorFloat32, gpu), Precision::TensorFloat32);
}

TEST(Precision, TensorFloat32IsSetForCudaAndTakenBack) {
    const at::Device gpu(at::kCUDA, 0);
    const auto isAllowed = [] {  // both ways in which torch asks, which it wants to agree
        return at::globalContext().allowTF32CuBLAS() &&
               at::globalContext().float32MatmulPrecision() == at::Float32MatmulPrecision::HIGH;
    };
    EXPECT_FALSE(isAllowed());
    allowTensorFloat32(gpu, Precision::TensorFloat32);
    EXPECT_TRUE(isAllowed());
    allowTensorFloat32(at::kCPU, Precision::Float32);
    EXPECT_TRUE(isAllowed()) << "a run on the CPU changed one on CUDA";
    allowTensorFloat32(gpu, Precision::Float32);
    EXPECT_FALSE(isAllowed());
    allowTensorFloat32(gpu, Precision::TensorFloat32);
    allowTensorFloat32(gpu, Precision::BFloat16);
    EXPECT_FALSE(isAllowed());
}

TEST(Warnings, HarmlessOnesAreDropped) {
    const auto printed = [](const char* text) {
        testing::internal::CaptureStderr();
        std::thread([text] {
            configureComputeThread({1, true});
            TORCH_WARN(text);
        }).join();
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(printed("Attempting to run cuBLAS, but there was no current CUDA context! Attempting to set it"), "");
    EXPECT_THAT(printed("something new"), testing::HasSubstr("something new"));
}

// A run that was to train on a GPU must not go on slowly on the CPU, and nothing that is tried with the GPU can succeed.
TEST(ChooseDevice, RefusesWhatThisProcessHasLost) {
    setDeviceLost("an illegal memory access was encountered");
    for (const char* name : {"auto", "cuda", "cuda:0"})
        EXPECT_THAT([name] { chooseDevice(name); },
                    testing::ThrowsMessage<Error>(testing::AllOf(testing::HasSubstr("lost its GPU: an illegal memory access"),
                                                                 testing::HasSubstr("heddle resume RUN"))))
            << name;
    EXPECT_TRUE(chooseDevice("cpu").is_cpu());
    setDeviceLost("");
    EXPECT_NO_THROW(chooseDevice("auto"));
}

}  // namespace
}  // namespace heddle
