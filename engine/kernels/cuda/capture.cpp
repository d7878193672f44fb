// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: captures the work of a thread's stream and launches it as one.
#include "engine/kernels/cuda/capture.h"

#include "engine/kernels/cuda/thread_streams.h"

#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <memory>

namespace heddle {

namespace {

/// Memory shared by graphs. Holds its own references to the pools of the device's and the host's allocator: otherwise a pool is
/// released with its last graph, and later captures into it fail.
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

c10::cuda::CUDAStream newStream(int device) {
    return c10::cuda::getStreamFromPool(/*isHighPriority=*/false, static_cast<c10::DeviceIndex>(device));
}

void useOwnStream(int device) {
    const auto index = static_cast<c10::DeviceIndex>(device);
    const c10::cuda::CUDAGuard guard(index);
    const c10::cuda::CUDAStream own = ThreadStreams<c10::cuda::CUDAStream>::of(device, newStream);
    const c10::cuda::CUDAStream before = c10::cuda::getCurrentCUDAStream(index);
    if (before == own) return;
    before.synchronize();  // the default stream, which all threads share: not the device, where another thread may capture
    c10::cuda::setCurrentCUDAStream(own);
}

at::HostAllocator& hostAllocator() { return *at::getHostAllocator(at::kCUDA); }

void* makePool(int device) {
    at::globalContext().lazyInitDevice(at::kCUDA);  // before it the allocator knows no device
    const GraphPool pool{at::cuda::graph_pool_handle(), static_cast<c10::DeviceIndex>(device)};
    allocator::createOrIncrefPool(pool.device, pool.id);
    // The host's allocator takes a reference only together with the start of a capture: this one captures no stream.
    hostAllocator().begin_allocate_to_pool(pool.id, [](c10::Stream) { return false; });
    hostAllocator().end_allocate_to_pool(pool.id);
    return new GraphPool(pool);
}

void dropPool(void* pool) {
    const std::unique_ptr<GraphPool> dropped(static_cast<GraphPool*>(pool));
    allocator::releasePool(dropped->device, dropped->id);
    hostAllocator().release_pool(dropped->id);
}

/// Ends an aborted capture. torch's capture_end cannot: for an invalid capture it throws before it tells the allocators, which
/// would go on allocating from the graphs' pool.
void abortCapture(const CudaGraph& graph) {
    cudaGraph_t unfinished = nullptr;
    cudaStreamEndCapture(c10::cuda::getCurrentCUDAStream(graph.pool.device), &unfinished);
    if (unfinished) cudaGraphDestroy(unfinished);
    static_cast<void>(cudaGetLastError());  // the caller reports the reason
    const GraphPool pool = graph.pool;
    // An allocator that does not allocate for this capture throws: torch ended it, and the graph releases its reference itself.
    const auto leave = [](const auto& end, const auto& release) {
        try {
            end();
        } catch (const c10::Error&) {
            return;
        }
        release();  // the reference taken by capture_begin
    };
    leave([&] { allocator::endAllocateToPool(pool.device, pool.id); }, [&] { allocator::releasePool(pool.device, pool.id); });
    leave([&] { hostAllocator().end_allocate_to_pool(pool.id); }, [&] { hostAllocator().release_pool(pool.id); });
}

CudaGraph* beginCapture(void* pool) {
    auto made = std::make_unique<CudaGraph>();
    made->pool = *static_cast<GraphPool*>(pool);
    // Other threads may allocate meanwhile: the prefetcher allocates pinned memory, and autograd has its own threads.
    try {
        made->graph.capture_begin(made->pool.id, cudaStreamCaptureModeThreadLocal);
    } catch (...) {
        abortCapture(*made);
        throw;
    }
    made->isOpen = true;
    return made.release();
}

void endCapture(CudaGraph* graph) {
    graph->graph.capture_end();
    graph->isOpen = false;
}

void replay(CudaGraph* graph) { graph->graph.replay(); }

void dropGraph(CudaGraph* graph) {
    const std::unique_ptr<CudaGraph> dropped(graph);
    if (dropped->isOpen) abortCapture(*dropped);
}

bool isCapturing(int device) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
}

/// Not from the allocator: graphs share memory and may overwrite blocks that earlier graphs freed.
void* makeConstant(const void* bytes, std::uint64_t count, int device) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    const c10::cuda::CUDAStreamCaptureModeGuard beside(cudaStreamCaptureModeRelaxed);  // not part of the capture
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

void fillCaptureFunctions(CudaTable& table) {
    table.useOwnStream = useOwnStream;
    table.makePool = makePool;
    table.dropPool = dropPool;
    table.beginCapture = beginCapture;
    table.endCapture = endCapture;
    table.replay = replay;
    table.dropGraph = dropGraph;
    table.emptyCache = [] { allocator::emptyCache(); };
    table.isCapturing = isCapturing;
    table.makeConstant = makeConstant;
    table.dropConstant = dropConstant;
}

}  // namespace cuda
}  // namespace heddle
