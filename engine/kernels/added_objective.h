// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// y as it is; a backward pass through it also differentiates the scalar `objective`, with weight 1. So a block adds to what
/// training minimises, and the loss that is recorded stays the task's.
at::Tensor withObjective(const at::Tensor& y, const at::Tensor& objective);

}  // namespace heddle
