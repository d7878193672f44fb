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
#include <unordered_map>

namespace heddle {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kSmallest = std::size_t{1} << 20;  // malloc itself reuses smaller blocks

/// Rounds sizes up by at most an eighth, so that batches of different lengths can reuse each other's memory.
std::size_t sizeClass(std::size_t bytes) {
    const std::size_t step = std::max(kSmallest / 8, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
}

/// A cache of blocks of at least kSmallest bytes, aligned to huge pages. A free block serves requests from two thirds of its
/// size on, because the kernel's zeroing of new pages costs more than the unused memory. Used and cached bytes together are at
/// most 1.5 times the peak of used bytes; the block freed first is released first. Thread-safe.
class BlockCache {
public:
    void* allocateBlock(std::size_t bytes) {
        std::size_t size = sizeClass(bytes);
        const std::lock_guard lock(mutex_);
        void* block = nullptr;
        if (const auto least = free_.lower_bound(size); least != free_.end() && least->first <= size + size / 2) {
            const auto found = std::prev(free_.upper_bound(least->first));  // freed last, perhaps still in the CPU's cache
            size = found->first;
            block = found->second.block;
            free_.erase(found);
            cached_ -= size;
        } else {
            block = map(size);
            if (!block && cached_ > 0) {  // release cached blocks and retry
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

    bool owns(void* block) {
        const std::lock_guard lock(mutex_);
        return used_.contains(block);
    }

    void freeBlock(void* block) {
        const std::lock_guard lock(mutex_);
        const auto found = used_.find(block);
        const std::size_t size = found->second;
        used_.erase(found);
        inUse_ -= size;
        free_.emplace(size, FreeBlock{block, ++frees_});
        cached_ += size;
        while (cached_ > 0 && inUse_ + cached_ > peak_ + peak_ / 2) releaseOldest();
    }

    std::size_t cachedBytes() {
        const std::lock_guard lock(mutex_);
        return cached_;
    }
    void release() {
        const std::lock_guard lock(mutex_);
        releaseLocked();
        peak_ = inUse_;
    }

private:
    /// Maps a larger range and unmaps the unaligned ends.
    static void* map(std::size_t size) {
        const std::size_t mapped = size + kHugePage;
        void* const all = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) return nullptr;
        const std::size_t past = reinterpret_cast<std::uintptr_t>(all) % kHugePage;
        const std::size_t before = past > 0 ? kHugePage - past : 0, after = kHugePage - before;
        char* const block = static_cast<char*>(all) + before;
        if (before > 0) munmap(all, before);
        if (after > 0) munmap(block + size, after);
        if (size >= kHugePage) madvise(block, size, MADV_HUGEPAGE);  // failure is harmless
        return block;
    }
    static void unmap(void* block, std::size_t size) { munmap(block, size); }

    void releaseOldest() {
        const auto oldest = std::min_element(free_.begin(), free_.end(),
                                             [](const auto& a, const auto& b) { return a.second.freed < b.second.freed; });
        unmap(oldest->second.block, oldest->first);
        cached_ -= oldest->first;
        free_.erase(oldest);
    }

    void releaseLocked() {
        for (const auto& [size, free] : free_) unmap(free.block, size);
        free_.clear();
        cached_ = 0;
    }

    struct FreeBlock {
        void* block;
        std::uint64_t freed;  ///< sequence number of the free
    };

    std::mutex mutex_;
    std::multimap<std::size_t, FreeBlock> free_;
    std::unordered_map<void*, std::size_t> used_;
    std::size_t inUse_ = 0, cached_ = 0, peak_ = 0;
    std::uint64_t frees_ = 0;
};

/// Never destroyed: tensors in statics of other libraries may outlive it.
BlockCache& blockCache() {
    static BlockCache* const kCache = new BlockCache;
    return *kCache;
}

/// Small blocks come from LibTorch's own allocator. One deleter serves both: almost only our blocks are aligned to huge pages.
class CachingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes < kSmallest) {
            void* const block = c10::GetDefaultCPUAllocator()->raw_allocate(bytes);
            return {block, block, &CachingAllocator::free, at::Device(at::kCPU)};
        }
        void* const block = blockCache().allocateBlock(bytes);
        // The message of LibTorch's own allocator, by which the engine recognises out-of-memory.
        TORCH_CHECK(block, "not enough memory: you tried to allocate ", bytes, " bytes");
        c10::profiledCPUMemoryReporter().New(block, bytes);
        return {block, block, &CachingAllocator::free, at::Device(at::kCPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &CachingAllocator::free; }
    void copy_data(void* to, const void* from, std::size_t count) const override { default_copy_data(to, from, count); }

private:
    static void free(void* block) {
        if (!block) return;
        if (reinterpret_cast<std::uintptr_t>(block) % kHugePage != 0 || !blockCache().owns(block))
            return c10::GetDefaultCPUAllocator()->raw_deallocate(block);
        c10::profiledCPUMemoryReporter().Delete(block);  // before another thread can get the same block
        blockCache().freeBlock(block);
    }
};

}  // namespace

void useCachingHostAllocator() {
#if !defined(__SANITIZE_ADDRESS__)
    static std::once_flag once;
    std::call_once(once, [] { c10::SetCPUAllocator(new CachingAllocator, 1); });
#endif
}

std::size_t cachedHostBytes() { return blockCache().cachedBytes(); }

void releaseCachedHostMemory() { blockCache().release(); }

}  // namespace heddle
