// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// Returns y; its backward pass also differentiates the scalar `objective` with weight 1. A block can thus add an auxiliary
/// loss without changing the recorded loss of the task.
at::Tensor withObjective(const at::Tensor& y, const at::Tensor& objective);

}  // namespace heddle
