// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/incremental.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace heddle {

/// A tensor [B,H,K,E] that grows along K. It has spare capacity, so that a step seldom copies earlier positions.
class GrowingTensor {
public:
    /// `fixedCapacity`: maximum K, allocated once at a fixed address; 0: grows on demand.
    explicit GrowingTensor(std::int64_t fixedCapacity = 0) : fixedCapacity_(fixedCapacity) {}

    /// Appends at the end. With a position on the device (fixed capacity, one key) writes there; all() is then the whole
    /// capacity.
    void append(const at::Tensor& x_BHKE, const StepPosition& at);
    at::Tensor all() const;  ///< a view, valid until the next append
    bool empty() const { return used_ == 0; }
    void clear();
    /// Row i becomes the former row rows_B[i]; a fixed capacity keeps the number of rows.
    void select(const at::Tensor& rows_B);

private:
    std::int64_t fixedCapacity_;
    at::Tensor buffer_BHCE_;
    std::int64_t used_ = 0;  ///< positions in use, at most C
};

/// The cached keys and values of one attention, in the form that its scorer and its value block read.
struct CachedAttention {
    enum class Of { Stream, Memory } of = Of::Stream;
    GrowingTensor keys, values;
};

/// The caches of all attentions of a stack, in the order of evaluation. Layers that share their weights have separate caches.
class AttentionCache {
public:
    /// Maximum number of keys of stream and memory, allocated once at a fixed address; 0: grows on demand.
    struct FixedCapacity {
        std::int64_t stream = 0, memory = 0;
    };
    AttentionCache() = default;
    explicit AttentionCache(const FixedCapacity& capacity) : capacity_(capacity) {}

    CachedAttention& next(CachedAttention::Of of);
    void rewind() { next_ = 0; }  ///< call before every pass
    void select(CachedAttention::Of of, const at::Tensor& rows_B);
    void clear();

private:
    FixedCapacity capacity_;
    std::vector<CachedAttention> all_;
    std::size_t next_ = 0;
};

}  // namespace heddle
