// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace heddle {

/// Who multiplies float32 matrices on the CPU.
enum class ProductLibrary { Torch, OneDnn };

/// y = x Wᵀ + b with its gradients: x [..., I], W [O,I], b [O] or undefined; y [..., O]. By the library of this processor
/// where both operands are float32 on the CPU, outside autocast; everything else, and small products, are at::linear's.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// The same by one library; OneDnn must be there (onednn::isThere).
at::Tensor affineBy(ProductLibrary library, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// The library for this processor: oneDNN on processors of AMD with AVX-512, for which MKL, torch's choice, takes kernels that
/// are not made for them (75 to 85 % of oneDNN's rate, half of it where there are thousands of outputs); torch's elsewhere. It
/// depends on nothing else, so that a resumed run multiplies as it did before.
ProductLibrary productLibrary();
std::string productLibraryName();  ///< "torch" or "onednn", as a run records it

}  // namespace heddle
