// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// Whether carriedWeights() supports scores [B,H,Q,K]: on CUDA if its kernels do.
bool takesScores(const at::Tensor& raw);

/// Scores and carried scores; all but `hidden` of one size.
struct CarriedScores {
    const at::Tensor &raw, &added;  ///< added undefined: none
    const at::Tensor& hidden;       ///< bool, broadcast; undefined: all keys are visible
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

/// Fused (cuda/score_bodies.h), differentiable. Requires takesScores().
CarriedWeights carriedWeights(const CarriedScores& scores);

}  // namespace heddle
