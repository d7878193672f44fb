// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: what a thread asks of its stream, remembered and launched as one.
#include "engine/device/cuda/capture.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace heddle {

struct CudaGraph {
    at::cuda::CUDAGraph graph;
    bool isOpen = false;
};

namespace cuda {
namespace {

using Pool = at::cuda::MempoolId_t;

void useOwnStream(int device) {
    const auto index = static_cast<c10::DeviceIndex>(device);
    const c10::cuda::CUDAGuard guard(index);
    c10::cuda::device_synchronize();  // what was asked of the stream before
    c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, index));
}

void* makePool() { return new Pool(at::cuda::graph_pool_handle()); }
void dropPool(void* pool) { delete static_cast<Pool*>(pool); }

CudaGraph* beginCapture(void* pool) {
    auto made = std::make_unique<CudaGraph>();
    // Other threads may go on allocating: a prefetcher takes pinned memory, autograd runs on threads of its own.
    made->graph.capture_begin(*static_cast<Pool*>(pool), cudaStreamCaptureModeThreadLocal);
    made->isOpen = true;
    return made.release();
}

void endCapture(CudaGraph* graph) {
    graph->isOpen = false;
    graph->graph.capture_end();
}

void replay(CudaGraph* graph) { graph->graph.replay(); }

void dropGraph(CudaGraph* graph) {
    if (graph->isOpen) {
        try {
            graph->graph.capture_end();
        } catch (const c10::Error&) {  // a capture that was broken off cannot end well; it has ended all the same
        }
    }
    delete graph;
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
}

}  // namespace cuda
}  // namespace heddle
