// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// Whether carriedWeights() supports scores [B,H,Q,K] with this mask (bool, broadcast; undefined: all keys are visible):
/// float32 on the CPU with one mask for all heads; on CUDA what its kernels support.
bool takesScores(const at::Tensor& raw, const at::Tensor& hidden);

/// Whether row kernels can read an expanded mask [B,H,Q,K]: equal for all heads, with contiguous keys.
bool takesMask(const at::Tensor& hidden_BHQK);

/// Scores and carried scores; all but `hidden` of one size.
struct CarriedScores {
    const at::Tensor &raw, &added;  ///< added undefined: none
    const at::Tensor& hidden;       ///< undefined: all keys are visible
    double divisor = 1;
    bool keepsSum = false;  ///< whether a later layer reads raw + added
    RandomKey key = {};     ///< of dropout on the weights…
    double p = 0;           ///< …in [0,1); 0: none
};

struct CarriedWeights {
    at::Tensor weights;  ///< softmax((raw + added) / divisor), hidden keys at kHiddenScore
    at::Tensor sum;      ///< raw + added; undefined unless keepsSum
    at::Tensor dropped;  ///< dropout(key, p, weights); without dropout the weights
};

/// Fused (score_rows.h, cuda/score_bodies.h), differentiable. Requires takesScores().
CarriedWeights carriedWeights(const CarriedScores& scores);

}  // namespace heddle
