// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/late_sums.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace heddle {

/// The sums over the rows of x [N,C] or [B,N,C], in float32 (float64 of float64): [C] or [B,C]. The order of the additions
/// depends on the sizes alone. The gradient of a bias; not differentiable where a kernel computes it.
at::Tensor columnSums(const at::Tensor& x);

/// The same of x [N,C] as the gradients of inputs of the autograd function whose backward function calls this, one after the
/// other. Undefined: an open LateSums adds them up, which pays where the sums are made of parts.
at::Tensor columnSumsFor(const std::vector<SummedInput>& inputs, const at::Tensor& x_NC);

}  // namespace heddle
