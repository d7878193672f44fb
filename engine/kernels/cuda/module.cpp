// SPDX-License-Identifier: Apache-2.0
// The CUDA module: links libc10_cuda and libtorch_cuda, never the engine; loaded by the engine where a driver is present.

#include "engine/device/cuda_table.h"
#include "engine/kernels/cuda/capture.h"

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdio>

#ifdef HEDDLE_CUDA_KERNELS
#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/products.h"
#endif

namespace heddle {
namespace {

void deviceName(int device, char* text, int size) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) properties.name[0] = '\0';
    std::snprintf(text, static_cast<std::size_t>(size), "%s", properties.name);
}

std::uint64_t deviceBytes(int device) {
    cudaDeviceProp properties{};
    return cudaGetDeviceProperties(&properties, device) == cudaSuccess ? properties.totalGlobalMem : 0;
}

int blockBytes(int device) {
    int bytes = 0;
    return cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess ? bytes : 0;
}

void synchronize(int device) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    c10::cuda::device_synchronize();
}

bool isUsable(int device) {
    static_cast<void>(cudaGetLastError());  // clears a non-sticky error
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device) != cudaSuccess) return false;
    bool works = false;
    try {
        works = cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device))) == cudaSuccess;
    } catch (const c10::Error&) {  // the stream itself cannot be had
    }
    return cudaSetDevice(before) == cudaSuccess && works;
}

#ifdef HEDDLE_CUDA_KERNELS
template <class Arguments>
void onDevice(const Arguments& arguments, int device) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    cuda::launch(arguments, c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

bool kernelsRunOn(int device) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    return cuda::runOnCurrentDevice();
}

#define HEDDLE_ON_DEVICE(name, Arguments, launches) onDevice<cuda::Arguments>,
constexpr CudaKernels kKernels{HEDDLE_FOR_CUDA_KERNELS(HEDDLE_ON_DEVICE)};
#undef HEDDLE_ON_DEVICE
#endif

CudaTable makeTable() {
    CudaTable table;
    table.identity = cudaTableIdentity();
    table.deviceCount = [] { return static_cast<int>(c10::cuda::device_count()); };
    table.deviceName = deviceName;
    table.deviceBytes = deviceBytes;
    table.blockBytes = blockBytes;
    table.synchronize = synchronize;
    table.isUsable = isUsable;
    cuda::fillCaptureFunctions(table);
#ifdef HEDDLE_CUDA_KERNELS
    table.kernels = &kKernels;
    table.kernelsRunOn = kernelsRunOn;
    table.productMemory = cuda::productMemory;
#endif
    return table;
}

}  // namespace
}  // namespace heddle

extern "C" __attribute__((visibility("default"))) const heddle::CudaTable* heddleCudaTable() {
    static const heddle::CudaTable table = heddle::makeTable();
    return &table;
}
