// SPDX-License-Identifier: Apache-2.0
#include "engine/device/meta_device.h"

#include "engine/device/torch_pch.h"

#include <c10/core/Allocator.h>

#include <mutex>

namespace heddle {
namespace {

/// Allocates nothing: a block is its size. Data pointers are null, so that torch refuses a kernel that asks for values.
class CountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        auto* const size = new std::size_t(bytes);
        report(size, static_cast<std::int64_t>(bytes));
        return {nullptr, size, &release, c10::Device(c10::kMeta)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void*, const void*, std::size_t) const override {}

private:
    static void release(void* block) {
        const std::unique_ptr<std::size_t> size(static_cast<std::size_t*>(block));
        report(size.get(), -static_cast<std::int64_t>(*size));
    }
    static void report(void* block, std::int64_t bytes) {
        c10::reportMemoryUsageToProfiler(block, bytes, 0, 0, c10::Device(c10::kMeta));
    }
};

}  // namespace

void reportMetaMemory() {
    static CountingAllocator allocator;
    static std::once_flag once;
    std::call_once(once, [] { c10::SetAllocator(c10::kMeta, &allocator, /*priority=*/1); });
}

}  // namespace heddle
