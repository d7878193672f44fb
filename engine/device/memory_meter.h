// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/DeviceType.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace heddle {

/// Counts the bytes of tensors of one device that are allocated and freed while it lives, on this thread and in the backward
/// passes that it starts, as the allocator reports them to PyTorch's profiler. Earlier tensors are not seen. One meter at a
/// time; the CPU and the meta device report.
class MemoryMeter {
public:
    explicit MemoryMeter(c10::DeviceType device);
    ~MemoryMeter();
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    std::int64_t live() const;  ///< bytes that are allocated now
    std::int64_t peak() const;  ///< the most since the start or since forgetPeak()
    void forgetPeak();
    /// The live bytes by the module that allocated them (ModuleScope); "" for those of no module.
    std::map<std::string, std::int64_t> liveByModule() const;

private:
    class Ledger;
    struct Guard;
    std::shared_ptr<Ledger> ledger_;
    std::unique_ptr<Guard> guard_;
};

}  // namespace heddle
