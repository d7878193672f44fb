// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// Whether scores [B,H,Q,K] and their mask (bool, broadcast to that; undefined: all is visible) are of the form that
/// carriedWeights() takes: float32 on the CPU with one mask for all heads; on CUDA what its kernels take.
bool takesScores(const at::Tensor& raw, const at::Tensor& hidden);

/// Whether row kernels can read a mask [B,H,Q,K] (expanded to that): one for all heads, its keys side by side.
bool takesMask(const at::Tensor& hidden_BHQK);

/// Scores with what earlier layers add; all but `hidden` of one size.
struct CarriedScores {
    const at::Tensor &raw, &added;  ///< added undefined: nothing is
    const at::Tensor& hidden;       ///< undefined: all is visible
    double divisor = 1;
    bool keepsSum = false;  ///< whether a later layer reads raw + added
    RandomKey key = {};     ///< of dropout on the weights…
    double p = 0;           ///< …in [0,1); 0: none
};

struct CarriedWeights {
    at::Tensor weights;  ///< softmax((raw + added) / divisor), hidden keys at kHiddenScore
    at::Tensor sum;      ///< raw + added; undefined where nobody keeps it
    at::Tensor dropped;  ///< dropout(key, p, weights); without dropout the weights
};

/// In one pass over memory (score_rows.h, cuda/score_bodies.h), with gradients. takesScores() must hold.
CarriedWeights carriedWeights(const CarriedScores& scores);

}  // namespace heddle
