// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

namespace heddle {

/// A product y = x Wᵀ + b [..., O] for a reader whose backward pass can compute the gradient of b, the sums of y's gradient
/// over all rows, where it writes y's gradient. If `bias` is defined, the backward pass of `y` leaves that gradient out, and
/// the reader owes it. Converted to a tensor, the product is complete: any code may read it.
struct BiasedProduct {
    BiasedProduct() = default;
    BiasedProduct(at::Tensor complete) : y(std::move(complete)) {}  // NOLINT(google-explicit-constructor): nothing is owed
    BiasedProduct(at::Tensor product, at::Tensor owed) : y(std::move(product)), bias(std::move(owed)) {}
    /// y, whose backward pass computes the gradient of the bias, too.
    operator at::Tensor() const;  // NOLINT(google-explicit-constructor)

    at::Tensor y;
    at::Tensor bias;  ///< undefined: nothing is owed
};

/// affine(x, weight, bias); leaves the gradient of the bias to the reader where the CUDA kernels are available.
BiasedProduct biasedProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// The same for several maps of one x, whose products then make one gradient of x in a scope of reduced copies.
std::vector<BiasedProduct> biasedProducts(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

}  // namespace heddle
