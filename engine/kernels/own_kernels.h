// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// The kernels of a training step that replace operators of LibTorch. Each can be turned off, so that its gain can be measured:
/// on the CPU by `tests/bench/two_builds.py --without`, on a GPU by tests/gpu/quarter.sh. engine/kernels/README.md lists the
/// gains; a kernel that gains less than 5 % on every workload is removed.
enum class OwnKernel : std::uint8_t {
    Products,       ///< CPU: matrix products by oneDNN (affine.h)
    HeadProducts,   ///< CPU: products per head (head_products.h)
    HeadAttention,  ///< CPU: attention per head in one pass (head_products.h)
    Dropout,        ///< CPU: dropout without a stored mask (dropout.h), also with ReLU before it (fused.h)
    CudaDropout,    ///< the same on CUDA
    CudaNorm,       ///< residual with dropout and layer normalisation (fused.h)
    CudaScores,     ///< softmax of scores with carry, mask and dropout (carried_weights.h)
    CudaScoreGate,  ///< score_kernels.h
    CudaAttention,  ///< attention of short sequences by one kernel each way (short_attention.h); off unless asked for
    CudaEpilogues,  ///< products with an epilogue by cuBLASLt (product_epilogues.h); off unless asked for
    CudaSplit,      ///< attention with directional values (directional_attention.h)
    CudaGelu,       ///< GELU's gradient with that of the bias before it (fused.h)
    CudaAdjust,     ///< an evaluator-adjuster unit's last step (fused.h)
    CudaUpdate,     ///< StarSaber's update (tanh_update.h)
    CudaLoss,       ///< cross-entropy with its gradient (engine/tasks/loss.h)
    CudaRows,       ///< rows of gradients back to their positions; the gradient of an embedding (embedding.h)
    CudaEmbed,      ///< embedding, positions and dropout (embedding.h)
    CudaSums,       ///< column_sums.h
    CudaHistogram,  ///< engine/train/report/histogram.h
    CudaAdam,       ///< clipping and Adam of all parameters (packed_adam.h)
    CudaRing,       ///< the scalars of a step (engine/train/step/step_ring.h)
};

/// Whether the kernel is turned on. The environment variable HEDDLE_WITHOUT turns off the kernels that it names, separated by
/// commas; HEDDLE_WITH turns on those that no device has measured yet. They are read once per process. Throws
/// Error(InvalidInput) for an unknown name, and for one in HEDDLE_WITH that is on anyway.
bool isUsed(OwnKernel kernel);

/// How the kernels in use differ from those of a process without these variables: " without a, b with c"; empty if they do not.
std::string changedKernels();

}  // namespace heddle
