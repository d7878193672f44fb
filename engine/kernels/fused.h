// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"
#include "engine/device/random.h"
#include "engine/kernels/biased_product.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace heddle {

/// Fused operations, differentiable. Each is tested equal to a reference path, which is used where the kernels do not support
/// the operands; dropout masks are the same. Kernels that take a BiasedProduct compute the gradient of its bias, too.

/// dropout(key, p, relu(x)); p in [0,1). On CUDA, and in float32 on a CPU (engine/kernels/cpu/row_kernels.h).
at::Tensor reluDropout(const RandomKey& key, double p, const BiasedProduct& x);

/// relu(x), by the same kernels on CUDA.
at::Tensor rectified(const BiasedProduct& x);

/// at::gelu; where x owes the gradient of a bias, with a kernel of our own for the backward pass. `approximate`: as ATen names
/// the form.
at::Tensor gelu(const BiasedProduct& x, const std::string& approximate);

/// Weight and bias [D] of a layer normalisation.
struct LayerNormParts {
    const at::Tensor &weight, &bias;
    double eps = 0;
};

/// Operands of a residual connection, all [..., D]: z = r + sigmoid(gate) ⊙ dropout(key, p, s); gate undefined: z = r +
/// dropout(s).
struct ResidualParts {
    const at::Tensor& r;
    BiasedProduct s, gate;
    RandomKey key;
    double p = 0;
};

/// Whether normedResidual() has a kernel for operands like x [..., D]: on CUDA, float32 or bfloat16, contiguous.
bool normsInOnePass(const at::Tensor& x);

/// layer_norm(z). In a ReducedScope (engine/kernels/reduced.h) the same pass computes its bfloat16 copy and offers it to two
/// products, and one backward pass handles all their gradients.
at::Tensor normedResidual(const ResidualParts& sum, const LayerNormParts& norm);

/// z itself and layer_norm(z), for a norm that stands before the next sublayer. One pass computes both, and the copy as above;
/// backward takes the gradients of all. It keeps z, which the next residual connection reads, in place of r, and without a gate
/// in place of s.
struct SumAndNorm {
    at::Tensor z, normed;
};
SumAndNorm residualAndNorm(const ResidualParts& sum, const LayerNormParts& norm);

/// x + tanh(a) ⊙ sigmoid(e), all of one size; fused if adjustsInOnePass(x) and their types fit, on CUDA only.
bool adjustsInOnePass(const at::Tensor& x);
at::Tensor adjusted(const at::Tensor& x, const BiasedProduct& a, const BiasedProduct& e);

}  // namespace heddle
