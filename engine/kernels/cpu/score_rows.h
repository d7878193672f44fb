// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Row kernels (see row_kernels.h) for attention scores.
namespace heddle::rows {

/// The logit of a hidden key (see kHiddenScore in engine/blocks/block.h).
inline constexpr float kHiddenLogit = -1e30F;

/// The scores [Q,K] of one head, contiguous.
struct ScoreRows {
    std::int64_t queries = 0, keys = 0;
    const bool* hidden = nullptr;    ///< null: all keys are visible; keys are contiguous
    std::int64_t hiddenOfQuery = 0;  ///< stride of `hidden`; 0: broadcast
};

/// Replaces scores z by softmax(z), with z = kHiddenLogit where a key is hidden.
void scoreWeights(const ScoreRows& in, float* scores);
/// Replaces the gradients of the weights by those of the scores.
void scoreWeightsBackward(const ScoreRows& in, const float* weights, float* gradients);

}  // namespace heddle::rows
