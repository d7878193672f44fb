// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/late_sums.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace heddle {

/// The sums over the rows of x [N,C] or [B,N,C], in float32 (float64 of float64): [C] or [B,C]. The order of the additions
/// depends on the sizes alone. The gradient of a bias; not differentiable where a kernel computes it.
at::Tensor columnSums(const at::Tensor& x);

/// Computes the same sums of x [N,C] for the backward() of an autograd function: they are the gradients of these inputs, whose
/// columns follow one another. Returns an undefined tensor if an open LateSums adds them up, as it does where there are parts.
at::Tensor columnSumsFor(const std::vector<SummedInput>& inputs, const at::Tensor& x_NC);

/// The same for sums of parts of the rows that a kernel has computed: parts [P,C] in float32.
at::Tensor sumsOfPartsFor(const std::vector<SummedInput>& inputs, const at::Tensor& parts_PC);

/// How many of so many rows are one part.
std::int64_t rowsOfPart(std::int64_t rows);

}  // namespace heddle
