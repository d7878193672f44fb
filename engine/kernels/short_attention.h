// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_attention_arguments.h"
#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace heddle {

/// What an attention adds to its scores s, and what a later layer reads of it: z = s + p, or, gated, z = s + p ⊙ ψ(p W + b).
struct CarriedTerm {
    at::Tensor p_BHQK = {};               ///< bfloat16 or float32; undefined: nothing is added
    std::optional<double> atHidden = {};  ///< p at hidden keys; nothing: unchanged
    at::Tensor weight_HKK = {};           ///< W, float32 [H or 1,K,K]; undefined: no gate
    at::Tensor bias = {};                 ///< b, float32 [H or 1,K or 1]; undefined: none
    cuda::GateActivation activation = cuda::GateActivation::Tanh;
    double divisor = 1;                                          ///< of z before the softmax
    enum class Next { Nothing, Own, Sum } next = Next::Nothing;  ///< what is returned: nothing, s or z
};

/// Operands of attention: (softmax of z / divisor, hidden keys at kHiddenScore) ⊙ dropout(key, p) · v, s = scale · q kᵀ.
struct ShortAttention {
    const at::Tensor &q_BHQE, &k_BHKE, &v_BHKE;
    double scale = 1;
    const at::Tensor& hidden;  ///< bool, broadcast to [B,H,Q,K]; undefined: all keys are visible
    RandomKey key = {};        ///< of dropout on the weights…
    double p = 0;              ///< …in [0,1); 0: none
    CarriedTerm carried = {};
};
struct ShortAttentionResult {
    at::Tensor mixed_BHQE;  ///< stored as [B,Q,H,E]
    at::Tensor next_BHQK;   ///< s in the type of q, z in float32; undefined: Next::Nothing
};

/// Whether these sequences may be short enough: asked before q, k and v are computed.
bool isShortAttention(const at::Tensor& like, std::int64_t queries, std::int64_t keys);

/// Whether shortAttention() supports these operands: bfloat16 on CUDA, up to 128 queries and keys and a head width of up to 64,
/// a multiple of 8, if the device has the memory for the blocks; p of the type of what is returned.
bool takesShortAttention(const ShortAttention& of);

/// One kernel each way (cuda/attention_bodies.h); scores and weights stay in its memory. Differentiable once; gradients of q, k
/// and v lie in memory as q, k and v do, so that those of a joint product are one tensor (joint_parts.h).
ShortAttentionResult shortAttention(const ShortAttention& of);

}  // namespace heddle
