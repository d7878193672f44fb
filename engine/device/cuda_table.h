// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_attention_arguments.h"
#include "engine/device/cuda_embedding_arguments.h"
#include "engine/device/cuda_product_arguments.h"

#include <cstdint>

namespace heddle {

/// Launches a kernel on the current stream of CUDA device `device`. All pointers of the arguments are in its memory.
template <class Arguments>
using CudaKernel = void (*)(const Arguments& arguments, int device);

/// The one list of the kernels: KERNEL(name, Arguments, launches), `launches` being how many kernels one call launches on the
/// device. They are described at their arguments. None allocates memory, synchronises or uses a random generator, so all can be
/// captured in a graph.
#define HEDDLE_FOR_CUDA_KERNELS(KERNEL)                                  \
    KERNEL(dropout, DropoutArguments, 1)                                 \
    KERNEL(reluDropout, ReluDropoutArguments, 1)                         \
    KERNEL(reluDropoutBackward, ReluDropoutBackwardArguments, 1)         \
    KERNEL(product, ProductArguments, 1)                                 \
    KERNEL(geluBackward, GeluBackwardArguments, 1)                       \
    KERNEL(adjust, AdjustArguments, 1)                                   \
    KERNEL(adjustBackward, AdjustBackwardArguments, 1)                   \
    KERNEL(addNorm, AddNormArguments, 1)                                 \
    KERNEL(addNormBackward, AddNormBackwardArguments, 1)                 \
    KERNEL(tanhUpdate, TanhUpdateArguments, 1)                           \
    KERNEL(tanhUpdateBackward, TanhUpdateBackwardArguments, 1)           \
    KERNEL(crossEntropy, CrossEntropyArguments, 2)                       \
    KERNEL(scoreWeights, ScoreWeightsArguments, 1)                       \
    KERNEL(scoreWeightsBackward, ScoreWeightsBackwardArguments, 1)       \
    KERNEL(scoreGate, ScoreGateArguments, 1)                             \
    KERNEL(scoreGateBackward, ScoreGateBackwardArguments, 1)             \
    KERNEL(attention, AttentionArguments, 1)                             \
    KERNEL(attentionBackward, AttentionBackwardArguments, 1)             \
    KERNEL(splitWeights, SplitWeightsArguments, 1)                       \
    KERNEL(splitWeightsBackward, SplitWeightsBackwardArguments, 1)       \
    KERNEL(scatterRows, ScatterRowsArguments, 1)                         \
    KERNEL(embed, EmbedArguments, 1)                                     \
    KERNEL(embeddingGradient, EmbeddingGradientArguments, 1)             \
    KERNEL(sortedEmbeddingGradient, SortedEmbeddingGradientArguments, 1) \
    KERNEL(columnSums, ColumnSumsArguments, 1)                           \
    KERNEL(packedSums, PackedSumsArguments, 1)                           \
    KERNEL(histogram, HistogramArguments, 1)                             \
    KERNEL(gradientSquares, GradientSquaresArguments, 1)                 \
    KERNEL(gradientNorm, GradientNormArguments, 1)                       \
    KERNEL(adam, AdamArguments, 1)                                       \
    KERNEL(stepRing, StepRingArguments, 1)

struct CudaKernels {
#define HEDDLE_CUDA_KERNEL(name, Arguments, launches) CudaKernel<cuda::Arguments> name;
    HEDDLE_FOR_CUDA_KERNELS(HEDDLE_CUDA_KERNEL)
#undef HEDDLE_CUDA_KERNEL
};

struct CudaGraph;  ///< a captured graph; opaque

/// The interface of the CUDA module (libheddle_cuda.so) to the engine. Design section 5.
struct CudaTable {
    std::uint64_t identity = 0;  ///< the module's cudaTableIdentity()

    int (*deviceCount)() = nullptr;                                  ///< 0 when the driver finds no device
    void (*deviceName)(int device, char* text, int size) = nullptr;  ///< zero-terminated
    std::uint64_t (*deviceBytes)(int device) = nullptr;              ///< total memory
    int (*blockBytes)(int device) = nullptr;                         ///< memory that a block of threads can ask for at most
    void (*synchronize)(int device) = nullptr;                       ///< waits for all work on the device
    /// Whether this process can still use the device. After an illegal address, a failed launch or a hardware fault all later
    /// calls of the process fail. Waits for the calling thread's stream alone, since a wait for the device would spoil the
    /// capture of another thread.
    bool (*isUsable)(int device) = nullptr;

    // Graphs (see engine/device/device_graph.h; implemented in cuda/capture.cpp).
    /// For all later work of this thread: a stream that no other living thread uses, because what it launched there would get
    /// into this thread's captures. Waits for the thread's earlier work. (The default stream cannot be captured.)
    void (*useOwnStream)(int device) = nullptr;
    void* (*makePool)(int device) = nullptr;  ///< memory shared by graphs
    void (*dropPool)(void* pool) = nullptr;
    /// From here on this thread's stream captures. The pool's device must be the current one until endCapture().
    CudaGraph* (*beginCapture)(void* pool) = nullptr;
    void (*endCapture)(CudaGraph* graph) = nullptr;
    void (*replay)(CudaGraph* graph) = nullptr;
    void (*dropGraph)(CudaGraph* graph) = nullptr;  ///< also ends an unfinished capture
    void (*emptyCache)() = nullptr;                 ///< returns the allocator's unused memory to the device

    /// Null when the kernels were not compiled (no nvcc); the engine then uses its reference paths.
    const CudaKernels* kernels = nullptr;
    /// Whether the kernels were compiled for this device's compute capability.
    bool (*kernelsRunOn)(int device) = nullptr;
    /// Returns the bytes of memory that CudaKernels::product works in for this shape, or -1 if the device's cuBLASLt cannot
    /// compute it. The answer never changes in a process.
    std::int64_t (*productMemory)(const cuda::ProductShape& shape, int device) = nullptr;

    bool (*isCapturing)(int device) = nullptr;  ///< whether this thread's stream is capturing
    /// Copies host bytes to device memory outside of any pool, for graphs to read. The copy is complete on return, even during
    /// capture.
    void* (*makeConstant)(const void* bytes, std::uint64_t count, int device) = nullptr;
    void (*dropConstant)(void* constant, int device) = nullptr;  ///< waits for all work that may read it
};

/// A hash over this header and those of the arguments as compiled into the calling module
/// (packaging/cmake/HeddleIdentity.cmake).
[[gnu::visibility("hidden")]] std::uint64_t cudaTableIdentity();

extern "C" {
using CudaTableFunction = const heddle::CudaTable* (*)();  ///< exported as heddleCudaTable
}

}  // namespace heddle
