// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_arguments.h"

#include <cstdint>

namespace heddle {

/// Puts a kernel into the current queue of CUDA device `device`, in whose memory all pointers of the arguments lie.
template <class Arguments>
using CudaKernel = void (*)(const Arguments& arguments, int device);

/// What every kernel does stands beside its arguments. None allocates, waits for the device or draws from a generator, so that
/// all may be recorded into a graph.
struct CudaKernels {
    CudaKernel<cuda::DropoutArguments> dropout;
    CudaKernel<cuda::ReluDropoutBackwardArguments> reluDropoutBackward;
    CudaKernel<cuda::AdjustArguments> adjust;
    CudaKernel<cuda::AdjustBackwardArguments> adjustBackward;
    CudaKernel<cuda::AddNormArguments> addNorm;
    CudaKernel<cuda::AddNormBackwardArguments> addNormBackward;
    CudaKernel<cuda::CrossEntropyArguments> crossEntropy;
    CudaKernel<cuda::ScoreWeightsArguments> scoreWeights;
    CudaKernel<cuda::ScoreWeightsBackwardArguments> scoreWeightsBackward;
    CudaKernel<cuda::ScoreGateArguments> scoreGate;
    CudaKernel<cuda::ScoreGateBackwardArguments> scoreGateBackward;
    CudaKernel<cuda::SplitArguments> split;
    CudaKernel<cuda::SplitBackwardArguments> splitBackward;
    CudaKernel<cuda::ScatterRowsArguments> scatterRows;
    CudaKernel<cuda::GradientSquaresArguments> gradientSquares;
    CudaKernel<cuda::GradientNormArguments> gradientNorm;
    CudaKernel<cuda::AdamArguments> adam;
    CudaKernel<cuda::StepRingArguments> stepRing;
};

struct CudaGraph;  ///< a captured one; the module's own

/// What the CUDA module (libheddle_cuda.so) offers the engine. Design section 5.
struct CudaTable {
    std::uint64_t identity = 0;  ///< cudaTableIdentity() of the module that made it

    int (*deviceCount)() = nullptr;                                  ///< 0 where the driver sees no device
    void (*deviceName)(int device, char* text, int size) = nullptr;  ///< zero-terminated
    std::uint64_t (*deviceBytes)(int device) = nullptr;              ///< total memory
    void (*synchronize)(int device) = nullptr;                       ///< waits for all work of the device
    /// Whether this process can still use the device: after an illegal address, a failed launch or a hardware fault every later
    /// call fails, as long as the process lives.
    bool (*isUsable)(int device) = nullptr;

    // Graphs (engine/device/device_graph.h says what they are for; cuda/capture.cpp).
    void (*useOwnStream)(int device) = nullptr;  ///< for all later work of this thread: the default one cannot be captured
    void* (*makePool)(int device) = nullptr;     ///< memory that graphs share
    void (*dropPool)(void* pool) = nullptr;
    CudaGraph* (*beginCapture)(void* pool) = nullptr;  ///< from here on this thread's stream remembers instead of working
    void (*endCapture)(CudaGraph* graph) = nullptr;
    void (*replay)(CudaGraph* graph) = nullptr;
    void (*dropGraph)(CudaGraph* graph) = nullptr;  ///< also one whose capture has not ended

    /// Null where the kernels were not compiled (no nvcc): the engine then takes its reference paths.
    const CudaKernels* kernels = nullptr;
    /// Whether the kernels were compiled for what this device can do.
    bool (*kernelsRunOn)(int device) = nullptr;

    bool (*isCapturing)(int device) = nullptr;  ///< whether this thread's stream remembers instead of working
    /// A copy of the host's bytes in memory that belongs to no pool, for graphs to read: done when this returns, also while
    /// this thread's stream is captured.
    void* (*makeConstant)(const void* bytes, std::uint64_t count, int device) = nullptr;
    void (*dropConstant)(void* constant, int device) = nullptr;  ///< waits for all that may read it
};

/// A hash over this header and arguments.h, as the module in which it is called was compiled with them (the build computes it:
/// packaging/cmake/HeddleIdentity.cmake).
[[gnu::visibility("hidden")]] std::uint64_t cudaTableIdentity();

extern "C" {
using CudaTableFunction = const heddle::CudaTable* (*)();  ///< exported as heddleCudaTable
}

}  // namespace heddle
