// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// The library for float32 matrix products on the CPU.
enum class ProductLibrary { Torch, OneDnn };

/// y = x Wᵀ + b with its gradients: x [..., I], W [O,I], b [O] or undefined; y [..., O]. Uses productLibrary() if both operands
/// are float32 on the CPU, outside autocast; otherwise, and for small products, at::linear. In a scope of reduced copies
/// (engine/kernels/reduced.h) products of float32 parameters are in bfloat16.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// One such product for each weight and bias. Backward leaves out the gradients of the biases
/// (engine/kernels/biased_product.h), and in a scope of reduced copies adds each product to the gradient of x that is there.
std::vector<at::Tensor> productsWithFixedBiases(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// affine() for many outputs. If autocast computes the product in bfloat16 and O is not paddedOutputs(O) (reduced.h), W and b
/// are padded with zeros and y has longer rows (see its strides), which are 0 beyond O. A gradient stored over y is multiplied
/// including these zeros, so they must not be overwritten; a gradient of another layout is padded first.
at::Tensor paddedAffine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Several projections of one x with concatenated outputs y. Does not copy weights and biases that are contiguous in memory;
/// there are no biases or one per weight. Gradients are views of one tensor.
at::Tensor affine(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// The same with a given library; OneDnn must be available (onednn::isThere).
at::Tensor affineBy(ProductLibrary library, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
at::Tensor affineBy(ProductLibrary library, const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// The library for this processor: oneDNN on AMD processors with AVX-512, where MKL, torch's choice, uses unsuitable kernels
/// (75 to 85 % of oneDNN's rate, half of it with thousands of outputs); torch's elsewhere. It depends on nothing else, so that
/// a resumed run multiplies as before.
ProductLibrary productLibrary();
/// Whether this processor is one of those.
bool mklIsSlowHere();
std::string productLibraryName();  ///< "torch" or "onednn", as a run records it

}  // namespace heddle
