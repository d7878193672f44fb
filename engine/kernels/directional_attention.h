// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace heddle {

/// Attention in one head with other values for keys on the left of the query than for those on the right (Xu et al. 2020, eq.
/// 2): y_q = Σ_{k ≤ q + lastLeft} w_qk left_k + Σ_{k ≥ q + firstRight} w_qk right_k, w = softmax(scale · query keyᵀ).
struct DirectionalAttentionParts {
    const at::Tensor &query_BQD, &key_BKD;
    const at::Tensor &left_BKD, &right_BKD;
    const at::Tensor& hidden;  ///< bool, broadcasts to [B,1,Q,K]; undefined: all keys are visible
    double scale = 1;
    std::int64_t lastLeft = 0, firstRight = 0;  ///< every key has a side: firstRight ≤ lastLeft + 1
};

/// Whether directionalAttention() takes an input x [B,S,D] and projections of it: on CUDA, with kernels.
bool attendsInOneFunction(const at::Tensor& x_BSD);

/// Returns y [B,Q,D], differentiable once. The forward pass launches two products and one kernel, the backward pass four and
/// one. It reads parts of a joint product (joint_parts.h) without a copy. If query and values are all its parts, the backward
/// pass writes one gradient for the joint product. Requires attendsInOneFunction().
at::Tensor directionalAttention(const DirectionalAttentionParts& of);

}  // namespace heddle
