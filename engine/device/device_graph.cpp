// SPDX-License-Identifier: Apache-2.0
#include "engine/device/device_graph.h"

#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"

#include <c10/core/DeviceGuard.h>

namespace heddle {
namespace {

class CudaDeviceGraph final : public DeviceGraph {
public:
    CudaDeviceGraph(const CudaTable& cuda, const at::Device& device, std::shared_ptr<void> pool)
        : cuda_(cuda), device_(device), pool_(std::move(pool)) {}
    ~CudaDeviceGraph() override {
        if (graph_) cuda_.dropGraph(graph_);
    }

    /// The allocator may hold the device's memory in free blocks of earlier work, which a graph cannot use: then it returns
    /// them.
    void capture(const std::function<void()>& work) override {
        try {
            captureOnce(work);
        } catch (const c10::OutOfMemoryError&) {
            cuda_.emptyCache();
            captureOnce(work);
        }
    }

    void replay() override {
        const c10::DeviceGuard guard(device_);
        cuda_.replay(graph_);
    }

private:
    void captureOnce(const std::function<void()>& work) {
        const c10::DeviceGuard guard(device_);  // torch captures the stream of the current device
        graph_ = cuda_.beginCapture(pool_.get());
        try {
            work();
            cuda_.endCapture(graph_);
        } catch (...) {
            cuda_.dropGraph(graph_);  // also ends the capture
            graph_ = nullptr;
            throw;
        }
    }

    const CudaTable& cuda_;
    at::Device device_;
    std::shared_ptr<void> pool_;
    CudaGraph* graph_ = nullptr;
};

}  // namespace

MakeDeviceGraph deviceGraphsOf(const at::Device& device) {
    const CudaTable* const cuda = device.is_cuda() ? cudaTable() : nullptr;
    // Without the kernels, dropout would repeat the captured step's mask at every replay.
    if (!cuda || !cudaKernelsOn(device.index())) return {};
    cuda->useOwnStream(device.index());
    const std::shared_ptr<void> pool(cuda->makePool(device.index()), cuda->dropPool);
    return [cuda, device, pool] { return std::make_unique<CudaDeviceGraph>(*cuda, device, pool); };
}

}  // namespace heddle
