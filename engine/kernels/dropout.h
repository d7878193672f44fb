// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"
#include "engine/device/random.h"
#include "engine/kernels/cpu/row_kernels.h"

namespace heddle {

/// Tensor of `sizes` with the options' device and type: 0 with probability p, else 1/(1-p). Element order is row-major.
at::Tensor dropoutMask(const RandomKey& key, double p, at::IntArrayRef sizes, const at::TensorOptions& options);

/// x ⊙ dropoutMask(key, p, …), differentiable; p in [0,1). On the CPU the mask is never stored: it is drawn while multiplying,
/// and drawn again in the backward pass.
at::Tensor dropout(const RandomKey& key, double p, const at::Tensor& x);

/// What dropout(key, p, …) keeps, for the row kernels; a step at stepAt is read here. Throws Error(InvalidInput) for p outside
/// [0,1).
rows::Drop dropOf(const RandomKey& key, double p);

/// The same for the kernels of the CUDA module, which look the step up when they run.
cuda::Drop cudaDropOf(const RandomKey& key, double p);

}  // namespace heddle
