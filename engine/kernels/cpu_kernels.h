// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// The CPU kernels of a training step that replace operators of LibTorch. The gain of each is measured with
/// `tests/bench/two_builds.py --without` and listed in engine/kernels/README.md; a kernel that gains less than 5 % on every
/// workload is removed.
enum class CpuKernel : std::uint8_t {
    Products,       ///< matrix products by oneDNN (affine.h)
    HeadProducts,   ///< products per head (head_products.h)
    HeadAttention,  ///< attention per head in one pass (head_products.h)
    Dropout,        ///< dropout without a stored mask (dropout.h), also with ReLU before it (fused.h)
};

/// Whether the kernel is used. The environment variable HEDDLE_WITHOUT names kernels that are not, separated by commas; it is
/// read once per process. Throws Error(InvalidInput) for an unknown name.
bool isUsed(CpuKernel kernel);

/// The names of the kernels that HEDDLE_WITHOUT turns off, separated by ", "; empty: all are used.
std::string unusedCpuKernels();

}  // namespace heddle
