// SPDX-License-Identifier: Apache-2.0
// The fake CUDA device: its hooks and guard for torch, and its CudaTable for the engine. Its operators are in
// fake_cuda_operators.cpp.
#include "tests/dev/engine/fake_cuda.h"

#include "engine/base/error.h"
#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "tests/dev/engine/fake_cuda_operators.h"
#include "tests/dev/engine/launch_cost.h"
#include "tests/dev/engine/launch_log.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace heddle {
namespace fake_cuda {
namespace {

bool isLost = false;

/// As torch's allocator, which records an event for each stream that copied from a block when the block is released.
class FakePinned final : public at::Allocator {
public:
    at::DataPtr allocate(std::size_t bytes) override {
        void* const block = std::malloc(bytes > 0 ? bytes : 1);
        return {block, block, release, at::Device(at::kCPU)};
    }
    at::DeleterFnPtr raw_deleter() const override { return release; }
    void copy_data(void* to, const void* from, std::size_t count) const override { default_copy_data(to, from, count); }

private:
    static void release(void* block) {
        std::free(block);
        TORCH_CHECK(!isLost, "an event cannot be recorded: the device is lost");
    }
};

class FakeHooks final : public at::CUDAHooksInterface {
public:
    void init() const override {}
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasCUDA() const override { return true; }
    bool hasPrimaryContext(at::DeviceIndex /*device*/) const override { return true; }
    at::DeviceIndex deviceCount() const override { return 1; }
    int getNumGPUs() const override { return 1; }
    at::DeviceIndex current_device() const override { return 0; }
    at::DeviceIndex getCurrentDevice() const override { return 0; }
    at::Device getDeviceFromPtr(void* /*data*/) const override { return device(); }
    at::Allocator* getPinnedMemoryAllocator() const override {
        static FakePinned pinned;
        return &pinned;
    }
};

class FakeGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return c10::kCUDA; }
    c10::Device exchangeDevice(c10::Device device) const override { return std::exchange(current(), device); }
    c10::Device getDevice() const override { return current(); }
    void setDevice(c10::Device device) const override { current() = device; }
    void uncheckedSetDevice(c10::Device device) const noexcept override { current() = device; }
    c10::Stream getStream(c10::Device /*device*/) const override { return stream(); }
    c10::Stream exchangeStream(c10::Stream /*stream*/) const override { return stream(); }
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }

private:
    /// Of this thread.
    static c10::Device& current() {
        thread_local c10::Device current = device();
        return current;
    }
    static c10::Stream stream() { return c10::Stream(c10::Stream::DEFAULT, device()); }
};

// What the engine asks of the CUDA module.

#define HEDDLE_NOTED(name, Arguments, launches) \
    [](const cuda::Arguments& a, int) { launchLog().add({#name, currentStepPhase(), true, launches, costOf(a)}); },
constexpr CudaKernels kNoted{HEDDLE_FOR_CUDA_KERNELS(HEDDLE_NOTED)};
#undef HEDDLE_NOTED

CudaTable fakeTable() {
    CudaTable table;
    table.identity = cudaTableIdentity();
    table.deviceCount = [] { return 1; };
    table.deviceName = [](int, char* text, int size) {
        std::strncpy(text, "a fake CUDA device", static_cast<std::size_t>(size));
    };
    table.deviceBytes = [](int) { return std::uint64_t{80} << 30; };  // an H100's
    table.blockBytes = [](int) { return 227 << 10; };                 // likewise
    table.synchronize = [](int) {};
    table.isUsable = [](int) { return true; };
    table.kernels = &kNoted;
    table.kernelsRunOn = [](int) { return true; };
    table.productMemory = [](const cuda::ProductShape&, int) { return std::int64_t{0}; };
    table.isCapturing = [](int) { return true; };  // what is copied for a captured step is copied once
    table.makeConstant = [](const void*, std::uint64_t count, int) { return std::malloc(count); };
    table.dropConstant = [](void* constant, int) { std::free(constant); };
    return table;
}

CudaTable& table() {
    static CudaTable fake = fakeTable();
    return fake;
}

void installDevice() {
    const Error late(ErrorCode::Failure, "this process has already initialised CUDA", "the fake CUDA device",
                     "use a process that has not used torch before");
    auto* const hooks = at::CUDAHooksRegistry();
    if (hooks->Has("CUDAHooks")) throw late;  // the CUDA part of torch is loaded
    hooks->Register("CUDAHooks",
                    [](at::CUDAHooksArgs) -> std::unique_ptr<at::CUDAHooksInterface> { return std::make_unique<FakeHooks>(); });
    if (!at::detail::getCUDAHooks().hasCUDA()) throw late;
    static const FakeGuard guard;
    c10::impl::device_guard_impl_registry[static_cast<std::size_t>(c10::kCUDA)].store(&guard);
    registerOperators();
    useCudaTable(&table());
    launchLog().open();
}

}  // namespace
}  // namespace fake_cuda

void useFakeCuda() {
    static const bool isInstalled = [] {
        fake_cuda::installDevice();
        return true;
    }();
    static_cast<void>(isInstalled);
}

void setFakeDeviceLost(bool isLost) { fake_cuda::isLost = isLost; }

void setFakeKernels(FakeKernels kernels) {
    fake_cuda::table().kernels = kernels == FakeKernels::Heddle ? &fake_cuda::kNoted : nullptr;
}

}  // namespace heddle
