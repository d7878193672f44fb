// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/DeviceType.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace heddle {

/// Counts the bytes of one device's tensors that this thread and the backward passes that it starts allocate and free during
/// the lifetime of the object, as the allocator reports them to PyTorch's profiler. Tensors allocated earlier are not counted.
/// One meter at a time; only the CPU and the meta device report.
class MemoryMeter {
public:
    explicit MemoryMeter(c10::DeviceType device);
    ~MemoryMeter();
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    std::int64_t live() const;  ///< bytes allocated now
    std::int64_t peak() const;  ///< maximum since the start or since forgetPeak()
    void forgetPeak();
    /// The live bytes by the module that allocated them (ModuleScope); "": allocated outside of any module.
    std::map<std::string, std::int64_t> liveByModule() const;

private:
    class Ledger;
    struct Guard;
    std::shared_ptr<Ledger> ledger_;
    std::unique_ptr<Guard> guard_;
};

}  // namespace heddle
