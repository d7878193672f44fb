// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_table.h"

#include <string>

namespace heddle {

/// The CUDA module's table, or null: no NVIDIA driver, module not built or not loadable. Looked for once per process, beside
/// libheddle_engine.so; call it before the first torch call that asks about CUDA (torch looks its hooks up only once).
const CudaTable* cudaTable();

/// The module's kernels; null where they were not compiled, or not for what this device can do.
const CudaKernels* cudaKernelsOn(int device);

/// Why cudaTable() is null ("no NVIDIA driver (libcuda.so.1)"), or where the module was found. For `heddle doctor`.
std::string cudaModuleStatus();

}  // namespace heddle
