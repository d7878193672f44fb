// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"
#include "engine/device/random.h"
#include "engine/kernels/cpu/row_kernels.h"

#include <vector>

namespace heddle {

/// Tensor of `sizes` with the options' device and type: 0 with probability p, else 1/(1-p). Element order is row-major.
at::Tensor dropoutMask(const RandomKey& key, double p, at::IntArrayRef sizes, const at::TensorOptions& options);

/// x ⊙ dropoutMask(key, p, …), differentiable; p in [0,1). On the CPU the mask is never stored: forward and backward both draw
/// it while multiplying.
at::Tensor dropout(const RandomKey& key, double p, const at::Tensor& x);

/// The same for an x that several matrix products read: in a ReducedScope (engine/kernels/reduced.h) the CUDA kernel also
/// computes and offers the bfloat16 copy of the result for three products, and one backward pass handles all gradients.
at::Tensor dropoutWithCopy(const RandomKey& key, double p, const at::Tensor& x);

/// Gradients of a result of CUDA kernels, float32, and of its bfloat16 copies, the operands of one sum, all dense: `dy` is
/// zeros where only copies have gradients, and undefined where nothing has.
struct GradientsOfCopies {
    explicit GradientsOfCopies(const std::vector<at::Tensor>& gradients);
    at::Tensor dy;
    std::vector<at::Tensor> ofCopies;  ///< cuda::DropoutArguments::kAdded, or none; may be undefined
};

/// (dy + Σ ofCopies) ⊙ dropoutMask(key, p, …), by the kernel; dy is defined.
at::Tensor droppedSum(const GradientsOfCopies& gradients, const RandomKey& key, double p);

/// The dropout of dropout(key, p, …) for the row kernels; reads what is at countersAt. Throws Error(InvalidInput) for p outside
/// [0,1).
rows::Drop dropOf(const RandomKey& key, double p);

/// The same for the CUDA kernels, which read the step when they run.
cuda::Drop cudaDropOf(const RandomKey& key, double p);

}  // namespace heddle
