// SPDX-License-Identifier: Apache-2.0
#include "engine/device/memory_meter.h"

#include "engine/device/module_scope.h"
#include "engine/device/torch_pch.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <unordered_map>

namespace heddle {

class MemoryMeter::Ledger final : public c10::MemoryReportingInfoBase {
public:
    explicit Ledger(c10::DeviceType device) : device_(device) {}

    void reportMemoryUsage(void* block, std::int64_t size, std::size_t, std::size_t, c10::Device device) override {
        if (device.type() != device_) return;
        live += size;
        peak = std::max(peak, live);
        if (size >= 0) {
            const std::string* const module = currentModule();
            blocks_[block] = {module ? *module : std::string(), size};
        } else {
            blocks_.erase(block);
        }
    }
    bool memoryProfilingEnabled() const override { return true; }

    std::map<std::string, std::int64_t> byModule() const {
        std::map<std::string, std::int64_t> bytes;
        for (const auto& [block, allocated] : blocks_) bytes[allocated.module] += allocated.size;
        return bytes;
    }

    std::int64_t live = 0, peak = 0;

private:
    struct Allocated {
        std::string module;
        std::int64_t size = 0;
    };
    c10::DeviceType device_;
    std::unordered_map<const void*, Allocated> blocks_;
};

struct MemoryMeter::Guard {
    c10::DebugInfoGuard inner;
};

MemoryMeter::MemoryMeter(c10::DeviceType device)
    : ledger_(std::make_shared<Ledger>(device)), guard_(new Guard{{c10::DebugInfoKind::PROFILER_STATE, ledger_}}) {}

MemoryMeter::~MemoryMeter() = default;

std::int64_t MemoryMeter::live() const { return ledger_->live; }

std::int64_t MemoryMeter::peak() const { return ledger_->peak; }

void MemoryMeter::forgetPeak() { ledger_->peak = ledger_->live; }

std::map<std::string, std::int64_t> MemoryMeter::liveByModule() const { return ledger_->byModule(); }

}  // namespace heddle
