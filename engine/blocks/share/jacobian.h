// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace heddle {

/// A map between tensors of equal size, differentiable once.
using TensorMap = std::function<at::Tensor(const at::Tensor&)>;

/// Vector-Jacobian products Jᵀ v of a map at one point.
class VectorJacobian {
public:
    /// Evaluates the map once, keeping its graph.
    VectorJacobian(const TensorMap& map, const at::Tensor& point);
    const at::Tensor& value() const { return value_; }  ///< differentiable in the parameters of the map
    at::Tensor times(const at::Tensor& v) const;        ///< Jᵀ v, of the point's sizes

private:
    at::Tensor point_, value_;
};

/// A lower bound of ‖J‖₂ of a map at a point by power iteration on J Jᵀ. Jᵀ v is exact, J v uses central differences, so the
/// map must be differentiable only once. Evaluates the map 2 · rounds + 1 times.
double jacobianNorm(const TensorMap& map, const at::Tensor& point, int rounds);

}  // namespace heddle
