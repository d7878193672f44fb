// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// Operands of StarSaber's update, y = h + α ⊙ dropout(key, p, tanh(a + direct)) (Xu et al. 2020, eq. 5).
struct TanhUpdateParts {
    const at::Tensor &h, &a;   ///< [..., D]
    const at::Tensor& direct;  ///< [..., D]; undefined: none
    const at::Tensor& alpha;   ///< [1] or [D]; undefined: `weight`
    double weight = 1;
    RandomKey key;
    double p = 0;
};

/// Whether tanhUpdate() can use its kernel for a stream h [..., D]: float32 on CUDA, contiguous, D a multiple of 4.
bool updatesInOnePass(const at::Tensor& h);

/// Returns y, differentiable. Computes it by operators if the kernel does not support the operands. In a ReducedScope
/// (engine/kernels/reduced.h) the kernel also computes and offers the bfloat16 copy of y for two products, and one backward
/// pass handles the gradients of all.
at::Tensor tanhUpdate(const TanhUpdateParts& of);

}  // namespace heddle
