// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/philox.h"

#include <cstdint>

/// Fused CPU kernels on rows of float32 values; without torch, single-threaded, with the widest instructions of the processor.
/// Results depend only on the arguments, not on the distribution of rows among threads.
namespace heddle::rows {

/// Dropout. Element e of the tensor (row-major) uses word e of the stream (engine/device/random.h): below the threshold it
/// becomes 0, otherwise it is multiplied by `scale`.
struct Drop {
    philox::Stream stream;
    std::uint32_t threshold = 0;  ///< 0: no dropout
    float scale = 1;
};

inline constexpr std::int64_t kLanes = 16;  ///< values of a vector

/// y = max(x, 0) ⊙ drop, elements first … first+count-1; first a multiple of 4. x and y may be the same.
void reluDropout(const float* x, float* y, std::int64_t first, std::int64_t count, const Drop& drop);
/// dx from y and dy: where y is 0, 0, else dy · scale.
void reluDropoutBackward(const float* y, const float* dy, float* dx, std::int64_t count, float scale);

/// The likeliest class of one row of logits.
struct RowChoice {
    std::int64_t index = 0;  ///< the first maximum; -1: all logits are NaN
    float logit = 0;
    double logSum = 0;  ///< log Σ exp over all classes
};
/// Classes first … end-1 are never chosen, but counted in logSum. 0 ≤ first ≤ end < classes.
RowChoice likeliest(const float* logits, std::int64_t classes, std::int64_t first, std::int64_t end);

}  // namespace heddle::rows
