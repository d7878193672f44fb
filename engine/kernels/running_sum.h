// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// x.cumsum(-1) without a gradient, the same bits every time on every device. Torch's own scan on CUDA adds in no fixed order,
/// and its deterministic mode refuses it.
at::Tensor runningSum(const at::Tensor& x);

/// The same by log2(n) additions of the tensor shifted along itself (Hillis and Steele 1986): what runs on CUDA.
at::Tensor runningSumByShifts(const at::Tensor& x);

}  // namespace heddle
