// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels of the CUDA module, free of torch headers so that nvcc compiles them in seconds.

#include "engine/device/cuda_table.h"

#include <cuda_runtime_api.h>

namespace heddle::cuda {

/// Each launches its kernels on the given stream of the current device, without synchronisation.
#define HEDDLE_CUDA_LAUNCH(name, Arguments, launches) void launch(const Arguments& arguments, cudaStream_t queue);
HEDDLE_FOR_CUDA_KERNELS(HEDDLE_CUDA_LAUNCH)
#undef HEDDLE_CUDA_LAUNCH

/// Whether the current device can run the kernels: they were compiled for its compute capability, or bring PTX for it.
bool runOnCurrentDevice();

}  // namespace heddle::cuda
