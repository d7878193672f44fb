// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace heddle {

/// Who multiplies float32 matrices on the CPU.
enum class ProductLibrary { Torch, OneDnn };

/// y = x Wᵀ + b with its gradients: x [..., I], W [O,I], b [O] or undefined; y [..., O]. By the library of this processor
/// where both operands are float32 on the CPU, outside autocast; everything else, and small products, are at::linear's. In a
/// scope of reduced copies (engine/kernels/reduced.h) products of float32 parameters are in bfloat16.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Outputs of a product in bfloat16 are multiplied in multiples of this, so that every row begins where aligned kernels want
/// it.
inline constexpr std::int64_t kPaddedOutputs = 64;

/// The same for many outputs. Where autocast makes the product in bfloat16 and O is no multiple of kPaddedOutputs, W and b are
/// padded with zeros, and y lies in longer rows: its strides tell, and what is behind O in them is 0. A gradient that lies over
/// y is multiplied together with those zeros, so nobody may write there; a gradient of another layout is padded first.
at::Tensor paddedAffine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

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
