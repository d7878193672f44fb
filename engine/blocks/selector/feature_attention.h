// SPDX-License-Identifier: Apache-2.0
// Attention by random features (Choromanski et al. 2021, "Rethinking Attention with Performers", FAVOR+):
//   p_ij = φ(q_i)·φ(k_j) / Σ_j φ(q_i)·φ(k_j), over the visible keys j
//   positive softmax features: φ(x) = (exp(Ω x − ‖x‖²/2 − max) + ε) / √M    ReLU features: φ(x) = relu(Ω x) + ε
// Ω [M,E] has orthogonal rows; x is scaled so that q·k is the score. max is taken per query for queries, and over all keys and
// features of a head for keys; therefore causal attention uses ReLU features.
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

#ifdef HEDDLE_MODULES

struct FeatureAttention {
    const at::Tensor& q_BHQE;
    const at::Tensor& k_BHKE;
    const at::Tensor& features_ME;
    double scale = 1;                ///< of q·k
    const at::Tensor& visible_b1qK;  ///< bool
    const at::Tensor& real_b11K;     ///< bool, keys visible to some query
    bool hidesFuture = false;

    /// p [B,H,Q,K]; 0 where a key is hidden.
    at::Tensor weights() const;
};

#endif

}  // namespace heddle
