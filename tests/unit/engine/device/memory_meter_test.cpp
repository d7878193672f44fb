// SPDX-License-Identifier: Apache-2.0
#include "engine/device/memory_meter.h"

#include "engine/device/meta_device.h"
#include "engine/device/module_scope.h"
#include "engine/device/torch_pch.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(MemoryMeter, CountsLiveBytesAndTheirPeak) {
    const at::Tensor before = at::zeros({1000});
    MemoryMeter meter(c10::kCPU);
    at::Tensor a = at::zeros({256});
    EXPECT_EQ(meter.live(), 1024);
    { const at::Tensor b = at::zeros({512}, at::kDouble); }
    EXPECT_EQ(meter.live(), 1024);
    EXPECT_EQ(meter.peak(), 1024 + 4096);
    meter.forgetPeak();
    EXPECT_EQ(meter.peak(), 1024);
    a.reset();
    EXPECT_EQ(meter.live(), 0);
}

TEST(MemoryMeter, CountsTheMetaDeviceByModule) {
    reportMetaMemory();
    MemoryMeter meter(c10::kMeta);
    const std::string outer = "encoder.layers.0.self", inner = "encoder.layers.0.self.value";
    const at::Tensor free = at::empty({10}, at::kMeta);
    at::Tensor x, y;
    {
        const ModuleScope outerScope(outer);
        x = at::empty({100}, at::kMeta);
        {
            const ModuleScope innerScope(inner);
            y = x + 1;
        }
        const at::Tensor temporary = y * 2;
        EXPECT_EQ(meter.liveByModule().at(outer), 800);
    }
    EXPECT_EQ(currentModule(), nullptr);
    const std::map<std::string, std::int64_t> expected{{"", 40}, {outer, 400}, {inner, 400}};
    EXPECT_EQ(meter.liveByModule(), expected);
    EXPECT_EQ(meter.peak(), 1240);
    const at::Tensor onCpu = at::zeros({1000});
    EXPECT_EQ(meter.live(), 840);
}

}  // namespace
}  // namespace heddle
