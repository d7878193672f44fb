// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

// Losses of tasks with few outputs, as differentiable scalars: means over the N rows. Cross-entropy, also over the masked
// positions alone, is crossEntropy() in loss.h.

/// Which wrong classes of a row count in the hinge loss (variants.md S11).
enum class MultiHinge {
    Sum,  ///< Σ_{j≠y} max(0, 1 − z_y + z_j) / C     Weston and Watkins 1999
    Max   ///< max_{j≠y} max(0, 1 − z_y + z_j)       Crammer and Singer 2001
};

/// mean of max(0, 1 − t z); score_N, target_N: −1 or +1.
at::Tensor binaryHinge(const at::Tensor& score_N, const at::Tensor& target_N);

/// logits_NC; class_N: int64, 0 … C-1.
at::Tensor multiHinge(const at::Tensor& logits_NC, const at::Tensor& class_N, MultiHinge form);

/// mean of (z − t)²
at::Tensor squaredError(const at::Tensor& predicted_N, const at::Tensor& target_N);

}  // namespace heddle
