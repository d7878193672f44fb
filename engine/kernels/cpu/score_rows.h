// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"

#include <cstdint>

/// Row kernels (see row_kernels.h) of attention scores that earlier layers add to.
namespace heddle::rows {

/// Where a hidden key's score stands before the softmax (see kHiddenScore in engine/blocks/block.h).
inline constexpr float kHiddenLogit = -1e30F;

/// w = softmax(z), z = (raw + added) / divisor, kHiddenLogit where a key is hidden. raw, added, w [B,H,Q,K], one row behind the
/// other; row r is that of query r % Q.
struct ScoreRows {
    std::int64_t heads = 0, queries = 0, keys = 0;
    const float *raw = nullptr, *added = nullptr;       ///< added null: nothing is
    const bool* hidden = nullptr;                       ///< null: all is visible; its keys lie side by side
    std::int64_t hiddenOfBatch = 0, hiddenOfQuery = 0;  ///< steps in `hidden`; 0: the same for all
    float divisor = 1;
};

/// Rows first … end-1. `sum` gets raw + added, or is null.
void scoreWeights(const ScoreRows& in, float* sum, float* weights, std::int64_t first, std::int64_t end);

/// Of the scores raw + added, from what scoreWeights gave and the gradients of the weights and of the sum (either may be null:
/// zero). `in` without raw and added.
struct ScoreGradients {
    const float *weights = nullptr, *ofWeights = nullptr, *ofSum = nullptr;
    float* ofScores = nullptr;
};
void scoreWeightsBackward(const ScoreRows& in, const ScoreGradients& gradients, std::int64_t first, std::int64_t end);

/// The gate on them, told what the kernel on CUDA is told; all of it float32, a bias the same for all keys or dense in them.
/// Rows first … end-1 of p.
void scoreGate(const cuda::ScoreGateArguments& in, std::int64_t first, std::int64_t end);
void scoreGateBackward(const cuda::ScoreGateBackwardArguments& in, std::int64_t first, std::int64_t end);

}  // namespace heddle::rows
