// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_table.h"

#include <cstddef>
#include <string>

namespace heddle {

/// Above the index of any CUDA device: c10::DeviceIndex has 7 bits for it.
inline constexpr std::size_t kMostCudaDevices = 128;

/// The CUDA module's table; null without NVIDIA driver, or when the module was not built or cannot be loaded. Loaded once per
/// process, from the folder of libheddle_engine.so. Call it before the first torch call that queries CUDA, since torch looks up
/// its hooks only once.
const CudaTable* cudaTable();

/// Lets cudaTable() return `table` from now on, null: the module's; the table must live until the process ends. For tests and
/// their fake device.
void useCudaTable(const CudaTable* table);

/// The module's kernels; null when they were not compiled, or not for this device's compute capability. Asks this device
/// alone, once.
const CudaKernels* cudaKernelsOn(int device);

/// Why cudaTable() is null ("no NVIDIA driver (libcuda.so.1)"), or the module's path. For `heddle doctor`.
std::string cudaModuleStatus();

}  // namespace heddle
