// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/share/jacobian.h"

#include "engine/device/random.h"
#include "engine/device/torch_pch.h"

#include <torch/csrc/autograd/autograd.h>

namespace heddle {

namespace {

/// Step of the central differences per component: the cube root of the rounding error minimises their error.
double differenceOf(const at::Tensor& point) {
    const at::ScalarType type = point.scalar_type();
    return type == at::kDouble ? 1e-5 : type == at::kFloat ? 5e-3 : 0.1;
}

}  // namespace

VectorJacobian::VectorJacobian(const TensorMap& map, const at::Tensor& point) : point_(point.detach()) {
    const at::AutoGradMode keepGraph(true);
    point_.set_requires_grad(true);
    value_ = map(point_);
}

at::Tensor VectorJacobian::times(const at::Tensor& v) const {
    return torch::autograd::grad({value_}, {point_}, {v.to(value_.scalar_type())}, /*retain_graph=*/true)[0];
}

double jacobianNorm(const TensorMap& map, const at::Tensor& point, int rounds) {
    const VectorJacobian transposed(map, point);
    const at::NoGradGuard noGrad;
    const double step = differenceOf(point) * std::sqrt(static_cast<double>(point.numel()));
    at::Tensor v = normal(randomKey(0, "jacobian"), point.sizes(), 0, 1).to(point.options());
    double norm = 0;
    for (int round = 0; round < rounds; ++round) {
        const at::Tensor u = transposed.times(v / v.norm());
        if (u.norm().item<double>() == 0) return 0;
        const at::Tensor direction = u / u.norm() * step;
        v = (map(point + direction) - map(point - direction)) / (2 * step);
        norm = v.norm().item<double>();
        if (norm == 0) return 0;
    }
    return norm;
}

}  // namespace heddle

#endif
