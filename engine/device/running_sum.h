// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// x.cumsum(-1) without a gradient. Torch's deterministic mode refuses it on CUDA, where the parallel scan of a single row adds
/// in no fixed order; of several rows each is scanned by itself. A single row goes through the host.
at::Tensor runningSum(const at::Tensor& x);

}  // namespace heddle
