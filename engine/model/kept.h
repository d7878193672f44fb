// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace heddle {

/// A tensor [B,H,K,E] that grows along K. There is room to spare, so that a step does not copy what is there already.
class GrowingTensor {
public:
    void append(const at::Tensor& x_BHKE);
    at::Tensor all() const;  ///< a view, valid until the next append
    bool empty() const { return used_ == 0; }
    void select(const at::Tensor& rows_B);  ///< row i becomes what row rows_B[i] was

private:
    at::Tensor room_BHCE_;
    std::int64_t used_ = 0;  ///< of C
};

/// What one attention keeps from step to step: keys and values in the form that its scorer and its value block read.
struct KeptAttention {
    enum class Of { Stream, Memory } of = Of::Stream;
    GrowingTensor keys, values;
};

/// What all attentions of a stack keep, in the order in which a pass comes to them: layers that share their weights keep each
/// their own.
class KeptAttentions {
public:
    KeptAttention& next(KeptAttention::Of of);
    void rewind() { next_ = 0; }  ///< before every pass
    void select(KeptAttention::Of of, const at::Tensor& rows_B);

private:
    std::vector<KeptAttention> all_;
    std::size_t next_ = 0;
};

}  // namespace heddle
