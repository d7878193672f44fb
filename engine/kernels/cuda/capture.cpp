// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: what a thread asks of its stream, remembered and launched as one.
#include "engine/kernels/cuda/capture.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <mutex>

namespace heddle {

namespace {

/// Memory that graphs share. It holds a use of its own of the allocator's pool: without one the pool is given up with its last
/// graph, and a capture that names it again is refused.
struct GraphPool {
    at::cuda::MempoolId_t id;
    c10::DeviceIndex device;
};

}  // namespace

struct CudaGraph {
    at::cuda::CUDAGraph graph;
    GraphPool pool;
    bool isOpen = false;
};

namespace cuda {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

/// One stream a device for all runs of the process: the allocator keeps freed memory for the stream that used it.
c10::cuda::CUDAStream streamOf(c10::DeviceIndex device) {
    static std::mutex mutex;
    static std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams;
    const std::lock_guard lock(mutex);
    const auto found = streams.find(device);
    if (found != streams.end()) return found->second;
    return streams.emplace(device, c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device)).first->second;
}

void useOwnStream(int device) {
    const auto index = static_cast<c10::DeviceIndex>(device);
    const c10::cuda::CUDAGuard guard(index);
    c10::cuda::device_synchronize();  // what was asked of the stream before
    c10::cuda::setCurrentCUDAStream(streamOf(index));
}

void* makePool(int device) {
    const GraphPool pool{at::cuda::graph_pool_handle(), static_cast<c10::DeviceIndex>(device)};
    allocator::createOrIncrefPool(pool.device, pool.id);
    return new GraphPool(pool);
}

void dropPool(void* pool) {
    const std::unique_ptr<GraphPool> dropped(static_cast<GraphPool*>(pool));
    allocator::releasePool(dropped->device, dropped->id);
}

CudaGraph* beginCapture(void* pool) {
    auto made = std::make_unique<CudaGraph>();
    made->pool = *static_cast<GraphPool*>(pool);
    // Other threads may go on allocating: a prefetcher takes pinned memory, autograd runs on threads of its own.
    made->graph.capture_begin(made->pool.id, cudaStreamCaptureModeThreadLocal);
    made->isOpen = true;
    return made.release();
}

void endCapture(CudaGraph* graph) {
    graph->graph.capture_end();
    graph->isOpen = false;
}

void replay(CudaGraph* graph) { graph->graph.replay(); }

/// Ends a capture that was broken off. Of one that CUDA has called invalid torch's capture_end throws before it tells the
/// allocator, which would go on to take all memory from the graphs' pool.
void breakOff(const CudaGraph& graph) {
    cudaGraph_t unfinished = nullptr;
    cudaStreamEndCapture(c10::cuda::getCurrentCUDAStream(graph.pool.device), &unfinished);
    if (unfinished) cudaGraphDestroy(unfinished);
    static_cast<void>(cudaGetLastError());  // whoever broke the capture off tells why
    try {
        allocator::endAllocateToPool(graph.pool.device, graph.pool.id);
    } catch (const c10::Error&) {
        return;  // torch had got as far as that: the graph gives its use of the pool back itself
    }
    allocator::releasePool(graph.pool.device, graph.pool.id);  // the use that capture_begin counted
}

void dropGraph(CudaGraph* graph) {
    const std::unique_ptr<CudaGraph> dropped(graph);
    if (dropped->isOpen) breakOff(*dropped);
}

bool isCapturing(int device) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
}

/// Not the allocator's: of the memory that graphs share, every one of them may write what an earlier one had given back.
void* makeConstant(const void* bytes, std::uint64_t count, int device) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    const c10::cuda::CUDAStreamCaptureModeGuard beside(cudaStreamCaptureModeRelaxed);  // the capture has no part in this
    void* memory = nullptr;
    C10_CUDA_CHECK(cudaMalloc(&memory, count));
    std::unique_ptr<void, cudaError_t (*)(void*)> made(memory, cudaFree);
    cudaStream_t queue = nullptr;
    C10_CUDA_CHECK(cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking));
    const cudaError_t copied = cudaMemcpyAsync(memory, bytes, count, cudaMemcpyHostToDevice, queue);
    const cudaError_t done = cudaStreamSynchronize(queue);
    C10_CUDA_CHECK(cudaStreamDestroy(queue));
    C10_CUDA_CHECK(copied);
    C10_CUDA_CHECK(done);
    return made.release();
}

void dropConstant(void* constant, int device) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    const c10::cuda::CUDAStreamCaptureModeGuard beside(cudaStreamCaptureModeRelaxed);
    static_cast<void>(cudaFree(constant));
}

}  // namespace

void offerCapture(CudaTable& table) {
    table.useOwnStream = useOwnStream;
    table.makePool = makePool;
    table.dropPool = dropPool;
    table.beginCapture = beginCapture;
    table.endCapture = endCapture;
    table.replay = replay;
    table.dropGraph = dropGraph;
    table.isCapturing = isCapturing;
    table.makeConstant = makeConstant;
    table.dropConstant = dropConstant;
}

}  // namespace cuda
}  // namespace heddle
