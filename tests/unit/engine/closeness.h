// SPDX-License-Identifier: Apache-2.0
// What tests of kernels compare with: leaves of a type, and how far a result is from its reference.
#pragma once

#include "engine/device/torch_pch.h"

namespace heddle::testing_support {

/// A copy of x that collects a gradient.
inline at::Tensor leaf(const at::Tensor& x, at::ScalarType type = at::kDouble) {
    return x.detach().to(type).clone().set_requires_grad(true);
}

/// ‖a − b‖ / ‖b‖, in float64; where b is 0, ‖a‖.
inline double relative(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor reference = b.detach().to(at::kDouble);
    const double distance = (a.detach().to(at::kDouble) - reference).norm().item<double>(),
                 norm = reference.norm().item<double>();
    return norm > 0 ? distance / norm : distance;
}

}  // namespace heddle::testing_support
