// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace heddle {

/// Fused operations on attention scores and weights [B,H,Q,K] on CUDA, differentiable. Elsewhere splitWeights uses its
/// reference operators.

/// The weights of the keys k ≤ q + lastLeft, and those of k ≥ q + firstRight; 0 elsewhere.
struct SplitWeights {
    at::Tensor left, right;
};
SplitWeights splitWeights(const at::Tensor& weights_BHQK, std::int64_t lastLeft, std::int64_t firstRight);

/// p ⊙ ψ(x + bias), of p's type; x of p's size, bias float32 that broadcasts to [H,Q,K], or undefined. Nothing if no kernel
/// supports them; the caller then uses the reference form.
std::optional<at::Tensor> gatedScores(const at::Tensor& p_BHQK, const at::Tensor& x_BHQK, const at::Tensor& bias,
                                      cuda::GateActivation activation);

}  // namespace heddle
