// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

/// Operators of LibTorch that are outside its public interface, as version 2.11.0 has them (ATen/native/native_functions.yaml).
/// They are called here alone (tests/arch), so that another version is looked at in one place.
namespace heddle::torch_private {

/// `fresh` with these sizes, sharing its memory but not as a view of autograd: the caller owns `fresh` and nobody else has it.
at::Tensor reshapeOwned(const at::Tensor& fresh, at::IntArrayRef sizes);

/// The 2-norm of every tensor, in as few kernels as the device allows.
std::vector<at::Tensor> norms(const std::vector<at::Tensor>& tensors);

/// What attention by one operator reads; bias [B or 1,H or 1,Q,K] is added to scale · q kᵀ, undefined: nothing is.
struct AttentionOperands {
    at::Tensor q_BHQE, k_BHKE, v_BHKE;
    std::optional<at::Tensor> bias;
    double scale = 1;
};
/// The operator that scaled_dot_product_attention chooses on a CPU for float32 without dropout, by its name: on the meta device
/// it would choose another.
at::Tensor cpuAttention(const AttentionOperands& of);

/// What one fused update of Adam reads and writes; the lists are of equal length.
struct AdamTensors {
    std::vector<at::Tensor> parameters, gradients, means, squares, steps;  ///< gradients are only read
};
struct AdamFactors {
    at::Tensor learningRate;        ///< a number
    at::Tensor divisor, notFinite;  ///< numbers: gradients are divided by the first; not 0 in the second: nothing is changed
    double beta1 = 0.9, beta2 = 0.999, weightDecay = 0, epsilon = 1e-8;
    bool decoupled = true;  ///< weight decay as AdamW has it
};
void fusedAdam(AdamTensors& tensors, const AdamFactors& factors);

}  // namespace heddle::torch_private
