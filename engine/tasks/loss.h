// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/batch.h"
#include "engine/data/tokenizers/tokenizer.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace heddle {

/// Loss sums over the rows whose label is not ignored; float32 scalars (float64 for float64 logits) on the logits' device,
/// without synchronisation.
struct LossSums {
    at::Tensor objective;  ///< Σ (1-ε)·nll + ε·mean over all V classes of -log p (Szegedy et al. 2016, section 7)
                           ///< + ζ·log²Z, Z = Σ exp(logit) (Chowdhery et al. 2022, section 5), times `scale`
    at::Tensor nll;        ///< Σ -log p(label), in nats, not scaled
    at::Tensor correct;    ///< rows whose label is the likeliest class, the first of equals
    at::Tensor gradient;   ///< ∂objective/∂logits [N,V], of the logits' type; undefined from crossEntropy()
    at::Tensor nll_N;      ///< -log p(label) of each row; from crossEntropy() alone
    at::Tensor best_N;     ///< likeliest class of each row, the first of equals, int64; from crossEntropy() alone
};

struct LossOptions {
    double smoothing = 0;                  ///< ε
    double scale = 1;                      ///< 1 / labels of the whole step gives the mean
    std::int64_t ignored = kIgnoredLabel;  ///< rows with this label are ignored
    /// Where to store the gradient: in new memory, or over the logits.
    enum class Gradient { Own, OverLogits } gradient = Gradient::Own;
    double zLoss = 0;         ///< ζ
    at::Tensor scaleAt = {};  ///< float64 scalar on the logits' device; overrides `scale` if defined

    at::Tensor scaled(const at::Tensor& x) const;  ///< times scale, of x's type
};

/// Values and gradient in one pass: an explicit gradient saves half of the passes of autograd over [N,V]. logits_NV float32,
/// float64 or bfloat16, rows of any stride (gaps are untouched); labels_N int64 ids.
LossSums crossEntropyWithGradient(const at::Tensor& logits_NV, const at::Tensor& labels_N, const LossOptions& options);

/// Values only, for evaluation.
LossSums crossEntropy(const at::Tensor& logits_NV, const at::Tensor& labels_N, const LossOptions& options);

}  // namespace heddle
