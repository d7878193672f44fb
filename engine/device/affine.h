// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace heddle {

/// Who multiplies float32 matrices on the CPU.
enum class ProductLibrary { Torch, OneDnn };

/// y = x Wᵀ + b with its gradients: x [..., I], W [O,I], b [O] or undefined; y [..., O]. By the library of this processor
/// where both operands are float32 on the CPU, outside autocast; everything else, and small products, are at::linear's. In a
/// scope of reduced copies (engine/device/reduced.h) products of float32 parameters are in bfloat16.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Several maps of one x, whose outputs y stand behind each other: without a copy of their weights where these lie behind each
/// other in memory, and so do the biases, of which there are none or as many. Gradients are parts of one.
at::Tensor affine(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// The same by one library; OneDnn must be there (onednn::isThere).
at::Tensor affineBy(ProductLibrary library, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
at::Tensor affineBy(ProductLibrary library, const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// The library for this processor: oneDNN on processors of AMD with AVX-512, for which MKL, torch's choice, takes kernels that
/// are not made for them (75 to 85 % of oneDNN's rate, half of it where there are thousands of outputs); torch's elsewhere. It
/// depends on nothing else, so that a resumed run multiplies as it did before.
ProductLibrary productLibrary();
std::string productLibraryName();  ///< "torch" or "onednn", as a run records it

}  // namespace heddle
