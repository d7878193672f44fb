// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels of the CUDA module, free of torch headers so that nvcc compiles them in a second. Pointers are device pointers.

#include "engine/device/philox.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace heddle::cuda {

/// y[i] = word i of the stream < threshold ? 0 : x[i] * scale, for i < n.
struct DropoutArguments {
    const float* x;
    float* y;
    std::int64_t n;
    std::uint32_t threshold;
    float scale;
};
void launchDropout(const DropoutArguments& arguments, const philox::Stream& stream, cudaStream_t queue);

}  // namespace heddle::cuda
