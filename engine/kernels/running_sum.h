// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// Returns x.cumsum(-1) without a gradient. Equal inputs give equal bits on the same device. On CUDA it replaces torch's scan,
/// which adds in no fixed order and which torch's deterministic mode refuses.
at::Tensor runningSum(const at::Tensor& x);

/// Computes the running sum by log2(n) additions of the shifted tensor (Hillis and Steele 1986). runningSum() uses it on CUDA.
at::Tensor runningSumByShifts(const at::Tensor& x);

}  // namespace heddle
