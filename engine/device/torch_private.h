// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

/// Private operators of LibTorch 2.11.0 (ATen/native/native_functions.yaml). Only this file calls them (tests/arch), so that a
/// change of version is checked in one place.
namespace heddle::torch_private {

/// Reshapes `fresh` without making an autograd view. The caller must own the only reference to `fresh`.
at::Tensor reshapeOwned(const at::Tensor& fresh, at::IntArrayRef sizes);

/// The L2 norm of every tensor, in as few kernels as the device allows.
std::vector<at::Tensor> norms(const std::vector<at::Tensor>& tensors);

/// x = 0 for every tensor, in as few kernels as the device allows.
void setToZero(std::vector<at::Tensor>& tensors);

/// sums = sums + parts of every tensor, in as few kernels as the device allows.
void addTo(std::vector<at::Tensor>& sums, const std::vector<at::Tensor>& parts);

/// means = means + share · (targets − means) of every tensor, in as few kernels as the device allows.
void moveTowards(std::vector<at::Tensor>& means, const std::vector<at::Tensor>& targets, double share);

/// Operands of attention by one operator; bias [B or 1,H or 1,Q,K] is added to scale · q kᵀ.
struct AttentionOperands {
    at::Tensor q_BHQE, k_BHKE, v_BHKE;
    std::optional<at::Tensor> bias;
    double scale = 1;
};
/// Calls the operator that scaled_dot_product_attention chooses on a CPU for float32 without dropout; on the meta device it
/// would choose another one.
at::Tensor cpuAttention(const AttentionOperands& of);

/// Inputs and outputs of a fused Adam update; lists of equal length.
struct AdamTensors {
    std::vector<at::Tensor> parameters, gradients, means, squares, steps;  ///< gradients are read-only
};
struct AdamFactors {
    at::Tensor learningRate;        ///< scalar
    at::Tensor divisor, notFinite;  ///< scalars: gradients are divided by `divisor`; no update when `notFinite` is not 0
    double beta1 = 0.9, beta2 = 0.999, weightDecay = 0, epsilon = 1e-8;
    bool decoupled = true;  ///< decoupled weight decay (AdamW)
};
void fusedAdam(AdamTensors& tensors, const AdamFactors& factors);

}  // namespace heddle::torch_private
