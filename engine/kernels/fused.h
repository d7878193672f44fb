// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// Fused operations (engine/kernels/cpu/row_kernels.h), differentiable. Each is tested equal to a reference path, which is used
/// when rowsFit() is false; dropout masks are the same.

/// Whether the row kernels support x [..., D]: float32 on the CPU, float32 or bfloat16 on CUDA if the kernels are available;
/// contiguous, D a multiple of rows::kLanes and at most rows::kWidestRow.
bool rowsFit(const at::Tensor& x);

/// x; in a ReducedScope on the CPU, whose kernels do not support bfloat16, converted to float32.
at::Tensor toRowKernelLayout(const at::Tensor& x);

/// dropout(key, p, relu(x)); p in [0,1).
at::Tensor reluDropout(const RandomKey& key, double p, const at::Tensor& x);

/// Weight and bias [D] of a layer normalisation.
struct LayerNormParts {
    const at::Tensor &weight, &bias;
    double eps = 0;
};

/// Operands of a residual connection, all [..., D]: z = r + sigmoid(gate) ⊙ dropout(key, p, s); gate undefined: z = r +
/// dropout(s).
struct ResidualParts {
    const at::Tensor &r, &s, &gate;
    RandomKey key;
    double p = 0;
};

/// layer_norm(z). All operands must satisfy rowsFit(). In a ReducedScope (engine/kernels/reduced.h) the same pass computes and
/// offers its bfloat16 copy, and one backward pass handles the gradients of both.
at::Tensor normedResidual(const ResidualParts& sum, const LayerNormParts& norm);

/// x + tanh(a) ⊙ sigmoid(e), all of one size; fused if adjustsInOnePass(x) and their types fit, on CUDA only.
bool adjustsInOnePass(const at::Tensor& x);
at::Tensor adjusted(const at::Tensor& x, const at::Tensor& a, const at::Tensor& e);

}  // namespace heddle
