// SPDX-License-Identifier: Apache-2.0
#include "engine/device/torch_private.h"

#include "engine/device/torch_pch.h"

#include <torch/version.h>

static_assert(TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 11,
              "look at every operator of this file in the new version's native_functions.yaml, then change these numbers");

namespace heddle::torch_private {

at::Tensor reshapeOwned(const at::Tensor& fresh, at::IntArrayRef sizes) { return at::_unsafe_view(fresh, sizes); }

std::vector<at::Tensor> norms(const std::vector<at::Tensor>& tensors) { return at::_foreach_norm(tensors); }

void fusedAdam(AdamTensors& tensors, const AdamFactors& f) {
    auto& [parameters, gradients, means, squares, steps] = tensors;
    if (f.decoupled)
        at::_fused_adamw_(parameters, gradients, means, squares, {}, steps, f.learningRate, f.beta1, f.beta2, f.weightDecay,
                          f.epsilon, false, false, f.divisor, f.notFinite);
    else
        at::_fused_adam_(parameters, gradients, means, squares, {}, steps, f.learningRate, f.beta1, f.beta2, f.weightDecay,
                         f.epsilon, false, false, f.divisor, f.notFinite);
}

}  // namespace heddle::torch_private
