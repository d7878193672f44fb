// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace heddle {

/// p ⊙ ψ(x + bias), of p's type; x of p's size, bias float32 that broadcasts to [H,Q,K], or undefined. Nothing if no kernel
/// supports them; the caller then uses the reference form.
std::optional<at::Tensor> gatedScores(const at::Tensor& p_BHQK, const at::Tensor& x_BHQK, const at::Tensor& bias,
                                      cuda::GateActivation activation);

}  // namespace heddle
