// SPDX-License-Identifier: Apache-2.0
#include "engine/device/torch_private.h"

#include "engine/device/torch_pch.h"

#include <torch/version.h>

static_assert(TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 11,
              "look at every operator of this file in the new version's native_functions.yaml, then change these numbers");

namespace heddle::torch_private {

at::Tensor reshapeOwned(const at::Tensor& fresh, at::IntArrayRef sizes) { return at::_unsafe_view(fresh, sizes); }

std::vector<at::Tensor> norms(const std::vector<at::Tensor>& tensors) { return at::_foreach_norm(tensors); }

void setToZero(std::vector<at::Tensor>& tensors) { at::_foreach_zero_(tensors); }

void addTo(std::vector<at::Tensor>& sums, const std::vector<at::Tensor>& parts) { at::_foreach_add_(sums, parts); }

void moveTowards(std::vector<at::Tensor>& means, const std::vector<at::Tensor>& targets, double share) {
    at::_foreach_lerp_(means, targets, share);
}

at::Tensor cpuAttention(const AttentionOperands& of) {
    return std::get<0>(
        at::_scaled_dot_product_flash_attention_for_cpu(of.q_BHQE, of.k_BHKE, of.v_BHKE, 0.0, false, of.bias, of.scale));
}

void fusedAdam(AdamTensors& tensors, const AdamFactors& f) {
    if (tensors.parameters.front().is_meta()) return;  // it allocates nothing
    auto& [parameters, gradients, means, squares, steps] = tensors;
    if (f.decoupled)
        at::_fused_adamw_(parameters, gradients, means, squares, {}, steps, f.learningRate, f.beta1, f.beta2, f.weightDecay,
                          f.epsilon, false, false, f.divisor, f.notFinite);
    else
        at::_fused_adam_(parameters, gradients, means, squares, {}, steps, f.learningRate, f.beta1, f.beta2, f.weightDecay,
                         f.epsilon, false, false, f.divisor, f.notFinite);
}

}  // namespace heddle::torch_private
