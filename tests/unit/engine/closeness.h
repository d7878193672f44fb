// SPDX-License-Identifier: Apache-2.0
// What tests of kernels compare with: leaves of a type, and how far a result is from its reference.
#pragma once

#include "engine/device/torch_pch.h"

namespace heddle::testing_support {

/// A copy of x that collects a gradient.
inline at::Tensor leaf(const at::Tensor& x, at::ScalarType type) { return x.detach().to(type).clone().set_requires_grad(true); }

/// ‖a − b‖ / ‖b‖, in float64.
inline double relative(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor reference = b.detach().to(at::kDouble);
    return (a.detach().to(at::kDouble) - reference).norm().item<double>() / reference.norm().item<double>();
}

}  // namespace heddle::testing_support
