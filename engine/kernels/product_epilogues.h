// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"
#include "engine/kernels/biased_product.h"

#include <ATen/core/Tensor.h>

namespace heddle {

// Products of bfloat16 by cuBLASLt on CUDA whose epilogue computes what would be a pass over memory of its own. Off unless
// HEDDLE_WITH names cuda-epilogues. Where the library has no algorithm for the sizes, the product and the pass stay apart; the
// sizes decide that, once for a process.

/// The gradients of the parameters of y = x Wᵀ + b, in float32.
struct ParameterGradients {
    at::Tensor weight_OI, bias_O;
};

/// Computes both from dy and x by one product. Returns undefined gradients if no product takes the operands.
ParameterGradients gradientsByOneProduct(const at::Tensor& dy_NO, const at::Tensor& x_NI);

/// A map x Wᵀ + b; b undefined: none.
struct MapParts {
    const at::Tensor &weight, &bias;
};

/// Two maps with ReLU and dropout between them: y = W₂ (max(W₁x + b₁, 0) ⊙ dropout(key, p)) + b₂, p in [0,1).
struct ReluDropoutMaps {
    MapParts first, second;
    RandomKey key;
    double p = 0;
};

/// Returns y; its reader may compute the gradient of b₂ (BiasedProduct). In a scope of reduced copies
/// (engine/kernels/reduced.h) ReLU's kernel also writes a mask of the elements that are not 0. The backward product by W₂
/// applies this mask, so that it writes the gradient of W₁x + b₁.
BiasedProduct throughReluDropout(const at::Tensor& x, const ReluDropoutMaps& maps);

}  // namespace heddle
