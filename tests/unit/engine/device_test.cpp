// SPDX-License-Identifier: Apache-2.0
#include "engine/device/device.h"

#include "engine/device/precision.h"
#include "engine/device/threads.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/error.h"
#include "tests/unit/engine/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>

namespace heddle {
namespace {

/// Writes a topology folder in which CPU i belongs to core i / threadsPerCore of one package.
void writeTopology(const std::string& folder, int threadsPerCore) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        const std::string topology = folder + "/cpu" + std::to_string(cpu) + "/topology";
        std::filesystem::create_directories(topology);
        test::writeFile(topology + "/core_id", std::to_string(cpu / threadsPerCore) + "\n");
        test::writeFile(topology + "/physical_package_id", "0\n");
    }
}

TEST(PhysicalCores, CountsHyperthreadsOnce) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    const int cpus = CPU_COUNT(&allowed);
    const test::TemporaryFolder one, all;
    writeTopology(one.path(), 1);
    EXPECT_EQ(physicalCores(one.path()), cpus);
    writeTopology(all.path(), CPU_SETSIZE);
    EXPECT_EQ(physicalCores(all.path()), 1);
    EXPECT_EQ(physicalCores("/nowhere"), cpus);  // no topology: every CPU counts
}

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
    EXPECT_THROW(precisionFromName("fp8"), Error);
}

// A run that was to train on a GPU must not go on slowly on the CPU, and nothing that is tried with the GPU can succeed.
TEST(ChooseDevice, RefusesWhatThisProcessHasLost) {
    setDeviceLost("an illegal memory access was encountered");
    for (const char* name : {"auto", "cuda", "cuda:0"}) {
        try {
            chooseDevice(name);
            ADD_FAILURE() << name << " was given";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("lost its GPU: an illegal memory access"),
                                                     testing::HasSubstr("heddle resume RUN")));
        }
    }
    EXPECT_TRUE(chooseDevice("cpu").is_cpu());
    setDeviceLost("");
    EXPECT_NO_THROW(chooseDevice("auto"));
}

}  // namespace
}  // namespace heddle
