// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// The type in which scores are added: float32 for bfloat16, whose sums would lose at each layer what its 8 bits do not hold;
/// otherwise that of the scores.
at::ScalarType typeOfSums(const at::Tensor& scores);

/// a + b; float32 of bfloat16 scores, whose gradients are float32 until each is rounded once. Differentiable, any device.
at::Tensor sumOfScores(const at::Tensor& a, const at::Tensor& b);

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
    at::Tensor sum;      ///< raw + added, of typeOfSums(raw); undefined unless keepsSum
    at::Tensor dropped;  ///< dropout(key, p, weights); without dropout the weights
};

/// Fused (cuda/score_bodies.h), differentiable. Requires takesScores().
CarriedWeights carriedWeights(const CarriedScores& scores);

}  // namespace heddle
