// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// Chains of small operations in one pass over memory (engine/kernels/cpu/row_kernels.h), with their gradients. Each has a
/// readable equivalent that it is tested equal to and that takes its place where rowsFit() says no; dropout keeps the same
/// elements.

/// Whether the row kernels take x [..., D]: float32 on the CPU, float32 or bfloat16 on CUDA where the kernels are there;
/// contiguous, D a multiple of rows::kLanes and at most rows::kWidestRow.
bool rowsFit(const at::Tensor& x);

/// x, or, in a scope of reduced copies on the CPU, whose kernels know no bfloat16, what a product left in it as float32.
at::Tensor toRowKernelLayout(const at::Tensor& x);

/// dropout(key, p, relu(x)); p in [0,1).
at::Tensor reluDropout(const RandomKey& key, double p, const at::Tensor& x);

/// Weight and bias [D] of a layer normalisation.
struct LayerNormParts {
    const at::Tensor &weight, &bias;
    double eps = 0;
};

/// What a residual connection adds, all [..., D]: z = r + sigmoid(gate) ⊙ dropout(key, p, s); gate undefined: z = r +
/// dropout(s).
struct ResidualParts {
    const at::Tensor &r, &s, &gate;
    RandomKey key;
    double p = 0;
};

/// layer_norm(z). All operands must fit (rowsFit). In a scope of reduced copies (engine/kernels/reduced.h) its bfloat16 copy is
/// made in the same pass and offered, and the gradients of both go back in one.
at::Tensor normedResidual(const ResidualParts& sum, const LayerNormParts& norm);

/// x + tanh(a) ⊙ sigmoid(e), all of one size; in one pass where adjustsInOnePass(x) and their types fit: on CUDA alone.
bool adjustsInOnePass(const at::Tensor& x);
at::Tensor adjusted(const at::Tensor& x, const at::Tensor& a, const at::Tensor& e);

}  // namespace heddle
