// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/incremental.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace heddle {

/// A tensor [B,H,K,E] that grows along K. There is room to spare, so that a step does not copy what is there already.
class GrowingTensor {
public:
    /// `fixedRoom`: K at most, in memory that keeps its address; 0: as it comes.
    explicit GrowingTensor(std::int64_t fixedRoom = 0) : fixedRoom_(fixedRoom) {}

    /// Behind what is there; of a position on the device (fixed room, one key) there, and all() is the whole room from then on.
    void append(const at::Tensor& x_BHKE, const StepPosition& at);
    at::Tensor all() const;  ///< a view, valid until the next append
    bool empty() const { return used_ == 0; }
    void clear();
    void select(const at::Tensor& rows_B);  ///< row i becomes what row rows_B[i] was; of a fixed room as many as there are

private:
    std::int64_t fixedRoom_;
    at::Tensor room_BHCE_;
    std::int64_t used_ = 0;  ///< of C
};

/// What one attention keeps from step to step: keys and values in the form that its scorer and its value block read.
struct CachedAttention {
    enum class Of { Stream, Memory } of = Of::Stream;
    GrowingTensor keys, values;
};

/// What all attentions of a stack keep, in the order in which a pass comes to them: layers that share their weights keep each
/// their own.
class AttentionCache {
public:
    /// Keys at most of a stream and of a memory, in memory that keeps its address; 0: as they come.
    struct FixedRoom {
        std::int64_t stream = 0, memory = 0;
    };
    AttentionCache() = default;
    explicit AttentionCache(const FixedRoom& room) : room_(room) {}

    CachedAttention& next(CachedAttention::Of of);
    void rewind() { next_ = 0; }  ///< before every pass
    void select(CachedAttention::Of of, const at::Tensor& rows_B);
    void clear();

private:
    FixedRoom room_;
    std::vector<CachedAttention> all_;
    std::size_t next_ = 0;
};

}  // namespace heddle
