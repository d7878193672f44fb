// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace heddle {

/// A map of tensors of one size, differentiable once.
using TensorMap = std::function<at::Tensor(const at::Tensor&)>;

/// Products Jᵀ v of a map at one point, for the vectors that the caller gives in turn.
class VectorJacobian {
public:
    /// Evaluates the map once, keeping its graph.
    VectorJacobian(const TensorMap& map, const at::Tensor& point);
    const at::Tensor& value() const { return value_; }  ///< differentiable in the parameters of the map
    at::Tensor times(const at::Tensor& v) const;        ///< Jᵀ v, of the point's sizes

private:
    at::Tensor point_, value_;
};

/// ‖J‖₂ of a map at a point, from below: power iteration on J Jᵀ, with Jᵀ v exact and J v by central differences, so that the
/// map need be differentiable only once. Evaluates the map 2 · rounds + 1 times.
double jacobianNorm(const TensorMap& map, const at::Tensor& point, int rounds);

}  // namespace heddle
