// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the CUDA kernels of attention; see cuda_arguments.h.

#include "engine/device/cuda_arguments.h"

namespace heddle::cuda {

/// Parameters of the gate T′(p) = p ⊙ ψ(p W + bias) of carried scores p.
struct CarriedGate {
    const float* weight = nullptr;  ///< W, [:K,:K] of each head; null: no gate
    std::int64_t headStride = 0, rowStride = 0;
    const float* bias = nullptr;           ///< [H or 1, K or 1]; null: none
    std::int64_t biasStrides[2] = {0, 0};  ///< of head, key
    GateActivation activation = GateActivation::Tanh;
};

/// Queries, keys, values or their gradients: [B,S,H,E] in bfloat16. Rows of E are dense; addresses and strides are multiples of
/// 16 bytes.
template <class Pointer>
struct HeadRows {
    Pointer at = nullptr;
    std::int64_t strides[3] = {0, 0, 0};  ///< of batch, position, head
};

/// Maximum queries, keys and head width of the attention kernels, whose blocks hold a whole head. The width is a multiple of 8.
inline constexpr std::int64_t kMostAttended = 128, kMostHeadWidth = 64;

/// Attention of short sequences, with the scores p of an earlier layer:
/// s = scale · q kᵀ; z = s + p, or s + T′(p); out = (softmax of z / divisor over the keys, `hiddenScore` at hidden keys) ⊙ drop
/// · v. Sums are in float32; weights are rounded to bfloat16 before the product with v.
struct AttentionArguments {
    ScoreShape shape;
    std::int64_t width;  ///< E
    HeadRows<const void*> q, k, v;
    float scale;
    HiddenKeys hidden;
    float divisor, hiddenScore;
    Drop drop;
    const void* carried;  ///< p [B,H,Q,K], of carriedType; null: none
    bool fillsCarried;    ///< whether p is `carriedFill` at hidden keys
    float carriedFill;
    CarriedGate gate;  ///< only with p
    void* next;        ///< [B,H,Q,K], of carriedType: what a later layer reads; null: nothing
    bool nextIsSum;    ///< next is z, not s
    ElementType carriedType;
    HeadRows<void*> out;  ///< unused in backward
};

/// Recomputes the weights. dcarried is the gradient of p as it was before it was filled.
struct AttentionBackwardArguments {
    AttentionArguments forward;
    HeadRows<const void*> dout;
    const void* dnext;  ///< of carriedType; null: zeros
    HeadRows<void*> dq, dk, dv;
    void* dcarried;        ///< of carriedType; null: not computed
    float *dgate, *dbias;  ///< [P,H,K,K] and [P,H,K], P = ⌈B/sentencesOfPart⌉: partial sums over sentencesOfPart sentences
    std::int64_t sentencesOfPart;
};
/// Number of sentences in a partial sum of the gate's gradients: so many that two blocks for each of 132 multiprocessors
/// process the whole batch. It depends on the sizes only, so that every device adds in the same order.
constexpr std::int64_t sentencesOfPart(const AttentionArguments& a) {
    constexpr std::int64_t kBlocks = std::int64_t{2} * 132;
    return a.gate.weight ? (a.shape.batch * a.shape.heads + kBlocks - 1) / kBlocks : 1;
}
constexpr std::int64_t partsOfSentences(const AttentionBackwardArguments& a) {
    return (a.forward.shape.batch + a.sentencesOfPart - 1) / a.sentencesOfPart;
}

}  // namespace heddle::cuda
