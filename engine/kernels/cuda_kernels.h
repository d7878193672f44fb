// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_table.h"

#include <ATen/core/Tensor.h>

#include <initializer_list>

namespace heddle {

/// The kernels of the CUDA module if they are there and take all of these: tensors of one CUDA device, float32 or bfloat16,
/// contiguous and not empty; undefined ones are passed over. Else null: the caller takes its readable path.
const CudaKernels* kernelsFor(std::initializer_list<at::Tensor> tensors);

/// Of a tensor that the kernels take.
cuda::ElementType elementTypeOf(const at::Tensor& x);

/// Whether kernels take `sum` with `product`: both of one type, or float32 with what autocast made of a matrix product.
bool typesFit(const at::Tensor& sum, const at::Tensor& product);

/// Of scores or weights [B,H,Q,K].
cuda::ScoreShape scoreShapeOf(const at::Tensor& x_BHQK);

/// Pointers for arguments; null for an undefined tensor.
inline const void* readFrom(const at::Tensor& x) { return x.defined() ? x.const_data_ptr() : nullptr; }
inline void* writeTo(const at::Tensor& x) { return x.defined() ? x.mutable_data_ptr() : nullptr; }

}  // namespace heddle
