// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// The sums over the rows of x [N,C] or [B,N,C], in float32 (float64 of float64): [C] or [B,C]. The order of the additions
/// depends on the sizes alone. The gradient of a bias; not differentiable where a kernel computes it.
at::Tensor columnSums(const at::Tensor& x);

}  // namespace heddle
