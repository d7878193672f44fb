// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace heddle {

/// Which words a dropout draws (engine/device/random.cpp says how they come about) and what it does with them.
struct DropoutDraw {
    std::uint32_t key[2] = {0, 0}, word2 = 0, word3 = 0;
    std::uint32_t threshold = 0;
    float scale = 1;
};

/// What the CUDA module (libheddle_cuda.so) offers the engine: function pointers over at::Tensor. A null entry means "not in
/// this build": the engine then takes its reference path. Design section 5.
struct CudaTable {
    int version = 0;  ///< kCudaTableVersion of the build that made it

    // Always present.
    int (*deviceCount)() = nullptr;                                  ///< 0 where the driver sees no device
    void (*deviceName)(int device, char* text, int size) = nullptr;  ///< zero-terminated
    std::uint64_t (*deviceBytes)(int device) = nullptr;              ///< total memory
    void (*synchronize)(int device) = nullptr;                       ///< waits for all work of the device

    // Present where the kernels were compiled (nvcc found).
    /// y = word < threshold ? 0 : x · scale with the words of the stream, the same bits as on the CPU; x, y float32,
    /// contiguous, of one CUDA device and size.
    void (*dropout)(const at::Tensor& x, at::Tensor& y, const DropoutDraw& draw) = nullptr;
};

inline constexpr int kCudaTableVersion = 1;

extern "C" {
using CudaTableFunction = const heddle::CudaTable* (*)();  ///< exported as heddleCudaTable
}

}  // namespace heddle
