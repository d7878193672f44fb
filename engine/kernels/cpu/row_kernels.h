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

inline constexpr std::int64_t kLanes = 16;        ///< widths below are multiples of this
inline constexpr std::int64_t kWidestRow = 8192;  ///< maximum width: a row's random words are on the stack

/// y = max(x, 0) ⊙ drop, elements first … first+count-1; both multiples of 4. x and y may be the same.
void reluDropout(const float* x, float* y, std::int64_t first, std::int64_t count, const Drop& drop);
/// dx from y and dy: where y is 0, 0, else dy · scale.
void reluDropoutBackward(const float* y, const float* dy, float* dx, std::int64_t count, float scale);

/// Layer normalisation of a residual sum: z = r + g ⊙ s ⊙ drop, y = (z - mean) / √(var + eps) · weight + bias, with
/// g = sigmoid(gate), or 1 where gate is null.
struct AddNorm {
    std::int64_t width = 0;
    const float *r = nullptr, *s = nullptr, *gate = nullptr;  ///< [rows, width]
    const float *weight = nullptr, *bias = nullptr;           ///< [width]
    double eps = 0;
    Drop drop;
};
/// Saved for backward, per row of z: mean and 1/√(var + eps); [rows].
struct RowMoments {
    float *mean = nullptr, *inverse = nullptr;
};
/// Rows first … end-1.
void addNorm(const AddNorm& in, float* y, const RowMoments& kept, std::int64_t first, std::int64_t end);

struct AddNormGradients {
    float *r = nullptr, *s = nullptr, *gate = nullptr;  ///< [rows, width]; gate null without one
    float *weight = nullptr, *bias = nullptr;           ///< [width]: sums over these rows, overwritten
};
/// Backward of the same rows from dy [rows, width].
void addNormBackward(const AddNorm& in, const float* dy, const RowMoments& kept, const AddNormGradients& out,
                     std::int64_t first, std::int64_t end);

/// Cross-entropy of one row of logits with label smoothing ε (engine/tasks/loss.h).
struct RowLoss {
    double nll = 0, uniform = 0;  ///< -log p(target); mean over the classes of -log p
    bool correct = false;         ///< no other class outscores the target
};
/// gradient = scale · ∂((1-ε)·nll + ε·uniform)/∂logits; may lie over the logits. Any number of classes.
RowLoss crossEntropyRow(const float* logits, float* gradient, std::int64_t classes, std::int64_t target, double smoothing,
                        double scale);

/// The likeliest class of one row of logits.
struct RowChoice {
    std::int64_t index = 0;  ///< the first maximum; -1: all logits are NaN
    float logit = 0;
    double logSum = 0;  ///< log Σ exp over all classes
};
/// Classes first … end-1 are never chosen, but counted in logSum. 0 ≤ first ≤ end < classes.
RowChoice likeliest(const float* logits, std::int64_t classes, std::int64_t first, std::int64_t end);

}  // namespace heddle::rows
