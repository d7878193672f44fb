// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"

#include <cstdint>

/// Row kernels (see row_kernels.h) for carried attention scores.
namespace heddle::rows {

/// The logit of a hidden key (see kHiddenScore in engine/blocks/block.h).
inline constexpr float kHiddenLogit = -1e30F;

/// w = softmax(z), z = (raw + added) / divisor, kHiddenLogit where a key is hidden. raw, added, w [B,H,Q,K], contiguous; row r
/// belongs to query r % Q.
struct ScoreRows {
    std::int64_t heads = 0, queries = 0, keys = 0;
    const float *raw = nullptr, *added = nullptr;       ///< added null: none
    const bool* hidden = nullptr;                       ///< null: all keys are visible; keys are contiguous
    std::int64_t hiddenOfBatch = 0, hiddenOfQuery = 0;  ///< strides of `hidden`; 0: broadcast
    float divisor = 1;
};

/// Computes rows first … end-1. `sum` receives raw + added; may be null.
void scoreWeights(const ScoreRows& in, float* sum, float* weights, std::int64_t first, std::int64_t end);

/// Gradient of the scores raw + added, from the weights and the gradients of weights and sum (either may be null: zero). Does
/// not read in.raw and in.added.
struct ScoreGradients {
    const float *weights = nullptr, *ofWeights = nullptr, *ofSum = nullptr;
    float* ofScores = nullptr;
};
void scoreWeightsBackward(const ScoreRows& in, const ScoreGradients& gradients, std::int64_t first, std::int64_t end);

/// The score gate on rows first … end-1 of p. Takes the arguments of the CUDA kernel; all float32, with a bias that is
/// contiguous or broadcast over keys.
void scoreGate(const cuda::ScoreGateArguments& in, std::int64_t first, std::int64_t end);
void scoreGateBackward(const cuda::ScoreGateBackwardArguments& in, std::int64_t first, std::int64_t end);

}  // namespace heddle::rows
