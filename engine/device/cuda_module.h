// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_table.h"

#include <string>

namespace heddle {

/// The CUDA module's table; null without NVIDIA driver, or when the module was not built or cannot be loaded. Loaded once per
/// process, from the folder of libheddle_engine.so. Call it before the first torch call that queries CUDA, since torch looks up
/// its hooks only once.
const CudaTable* cudaTable();

/// Lets cudaTable() return `table` from now on; the table must live until the process ends. The fake
/// device of tests/dev calls it.
void useCudaTable(const CudaTable* table);

/// The module's kernels; null when they were not compiled, or not for this device's compute capability.
const CudaKernels* cudaKernelsOn(int device);

/// Why cudaTable() is null ("no NVIDIA driver (libcuda.so.1)"), or the module's path. For `heddle doctor`.
std::string cudaModuleStatus();

}  // namespace heddle
