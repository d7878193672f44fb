// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_table.h"
#include "engine/kernels/own_kernels.h"

#include <ATen/core/Tensor.h>

#include <initializer_list>

namespace heddle {

/// The CUDA kernels if available and applicable to all tensors: on one CUDA device, float32 or bfloat16, contiguous and not
/// empty; undefined tensors are ignored. Else null: the caller uses its reference path.
const CudaKernels* kernelsFor(std::initializer_list<at::Tensor> tensors);

/// The same, and null if HEDDLE_WITHOUT turns the kernel off.
const CudaKernels* kernelsFor(OwnKernel kernel, std::initializer_list<at::Tensor> tensors);

/// The element type of a supported tensor, or of its type.
cuda::ElementType elementTypeOf(const at::Tensor& x);
cuda::ElementType elementTypeOf(at::ScalarType type);

/// Whether kernels support `sum` with `product`: equal types, or float32 with autocast's bfloat16.
bool typesFit(const at::Tensor& sum, const at::Tensor& product);

/// Of scores or weights [B,H,Q,K].
cuda::ScoreShape scoreShapeOf(const at::Tensor& x_BHQK);

/// Of a mask [B,H,Q,K]; undefined: all keys are visible.
cuda::HiddenKeys hiddenKeysOf(const at::Tensor& hidden_BHQK);

/// Pointers for arguments; null for an undefined tensor.
inline const void* readFrom(const at::Tensor& x) { return x.defined() ? x.const_data_ptr() : nullptr; }
inline void* writeTo(const at::Tensor& x) { return x.defined() ? x.mutable_data_ptr() : nullptr; }

}  // namespace heddle
