// SPDX-License-Identifier: Apache-2.0
#include "engine/device/host_memory.h"

#include "engine/device/torch_pch.h"

#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

namespace heddle {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kSmallest = std::size_t{1} << 20;  // below, malloc keeps what is freed by itself

/// Sizes are rounded up so that batches of different lengths can use each other's memory: at most an eighth is lost.
std::size_t classOf(std::size_t bytes) {
    const std::size_t step = std::max(kSmallest / 8, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
}

/// Blocks of at least kSmallest bytes, mapped on borders of huge pages and kept when they are freed. A kept block serves every
/// size from two thirds of its own on: fresh pages are filled with zeros, which takes a step longer than to use half as much
/// memory again. So much more than the peak of what was in use is held at most; then what was freed longest ago goes.
/// Thread-safe.
class BlockStore {
public:
    void* take(std::size_t bytes) {
        std::size_t size = classOf(bytes);
        const std::lock_guard lock(mutex_);
        void* block = nullptr;
        if (const auto least = free_.lower_bound(size); least != free_.end() && least->first <= size + size / 2) {
            const auto found = std::prev(free_.upper_bound(least->first));  // freed last: perhaps still in a cache
            size = found->first;
            block = found->second.block;
            free_.erase(found);
            kept_ -= size;
        } else {
            block = map(size);
            if (!block && kept_ > 0) {  // before giving up, what other sizes hold
                releaseLocked();
                block = map(size);
            }
            if (!block) return nullptr;
        }
        used_[block] = size;
        inUse_ += size;
        peak_ = std::max(peak_, inUse_);
        return block;
    }

    bool lent(void* block) {
        const std::lock_guard lock(mutex_);
        return used_.contains(block);
    }

    void give(void* block) {
        const std::lock_guard lock(mutex_);
        const auto found = used_.find(block);
        const std::size_t size = found->second;
        used_.erase(found);
        inUse_ -= size;
        free_.emplace(size, Kept{block, ++frees_});
        kept_ += size;
        while (kept_ > 0 && inUse_ + kept_ > peak_ + peak_ / 2) releaseOldest();
    }

    std::size_t kept() {
        const std::lock_guard lock(mutex_);
        return kept_;
    }
    void release() {
        const std::lock_guard lock(mutex_);
        releaseLocked();
        peak_ = inUse_;
    }

private:
    /// Maps too much and gives back what lies before and after the border.
    static void* map(std::size_t size) {
        const std::size_t room = size + kHugePage;
        void* const all = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) return nullptr;
        const std::size_t past = reinterpret_cast<std::uintptr_t>(all) % kHugePage;
        const std::size_t before = past > 0 ? kHugePage - past : 0, after = kHugePage - before;
        char* const block = static_cast<char*>(all) + before;
        if (before > 0) munmap(all, before);
        if (after > 0) munmap(block + size, after);
        if (size >= kHugePage) madvise(block, size, MADV_HUGEPAGE);  // advice: a refusal changes nothing
        return block;
    }
    static void unmap(void* block, std::size_t size) { munmap(block, size); }

    void releaseOldest() {
        const auto oldest = std::min_element(free_.begin(), free_.end(),
                                             [](const auto& a, const auto& b) { return a.second.freed < b.second.freed; });
        unmap(oldest->second.block, oldest->first);
        kept_ -= oldest->first;
        free_.erase(oldest);
    }

    void releaseLocked() {
        for (const auto& [size, kept] : free_) unmap(kept.block, size);
        free_.clear();
        kept_ = 0;
    }

    struct Kept {
        void* block;
        std::uint64_t freed;  ///< which of all the frees that was
    };

    std::mutex mutex_;
    std::multimap<std::size_t, Kept> free_;
    std::unordered_map<void*, std::size_t> used_;
    std::size_t inUse_ = 0, kept_ = 0, peak_ = 0;
    std::uint64_t frees_ = 0;
};

/// Never destroyed: tensors of other libraries' statics may outlive ours.
BlockStore& store() {
    static BlockStore* const kStore = new BlockStore;
    return *kStore;
}

/// Small blocks are those of LibTorch's own allocator. One deleter serves both: only ours lie on borders of huge pages, or
/// nearly.
class KeepingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes < kSmallest) {
            void* const block = c10::GetDefaultCPUAllocator()->raw_allocate(bytes);
            return {block, block, &KeepingAllocator::free, at::Device(at::kCPU)};
        }
        void* const block = store().take(bytes);
        // The words of LibTorch's own allocator, by which the engine knows what happened.
        TORCH_CHECK(block, "not enough memory: you tried to allocate ", bytes, " bytes");
        c10::profiledCPUMemoryReporter().New(block, bytes);
        return {block, block, &KeepingAllocator::free, at::Device(at::kCPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &KeepingAllocator::free; }
    void copy_data(void* to, const void* from, std::size_t count) const override { default_copy_data(to, from, count); }

private:
    static void free(void* block) {
        if (!block) return;
        if (reinterpret_cast<std::uintptr_t>(block) % kHugePage != 0 || !store().lent(block))
            return c10::GetDefaultCPUAllocator()->raw_deallocate(block);
        c10::profiledCPUMemoryReporter().Delete(block);  // before another thread can be lent the same block
        store().give(block);
    }
};

}  // namespace

void keepHostMemory() {
#if !defined(__SANITIZE_ADDRESS__)
    static std::once_flag once;
    std::call_once(once, [] { c10::SetCPUAllocator(new KeepingAllocator, 1); });
#endif
}

std::size_t keptHostBytes() { return store().kept(); }

void releaseHostMemory() { store().release(); }

}  // namespace heddle
