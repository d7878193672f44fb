// SPDX-License-Identifier: Apache-2.0
// Exports what is used of NVIDIA's management library (NVML) and of the CUDA driver, for a machine with three GPUs. The process
// sees them in an order that is not NVML's, as with CUDA_VISIBLE_DEVICES=2,0,1; the last one tells no use, as a partition of a
// GPU does not.
#include <cstdio>
#include <cstring>
#include <iterator>

namespace {

struct Gpu {
    const char* address;
    unsigned int percent, celsius, milliwatts;
    unsigned long long usedBytes;
    bool tellsUse;
};
constexpr Gpu kGpus[]{{"00000000:01:00.0", 11, 41, 101500, 1ULL << 30, true},
                      {"00000000:41:00.0", 22, 52, 202500, 2ULL << 30, false},
                      {"00000000:81:00.0", 93, 63, 303500, 3ULL << 30, true}};
constexpr int kVisible[]{2, 0, 1};
constexpr int kInvalid = 1, kNotSupported = 3;

struct Utilization {
    unsigned int gpu, memory;
};
struct Memory {
    unsigned long long total, free, used;
};

int initialized = 0;

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE int cuDeviceGet(int* device, int ordinal) {
    if (ordinal < 0 || ordinal >= static_cast<int>(std::size(kVisible))) return kInvalid;
    *device = ordinal;
    return 0;
}
FAKE int cuDeviceGetPCIBusId(char* address, int length, int device) {
    std::snprintf(address, static_cast<std::size_t>(length), "%s", kGpus[kVisible[device]].address);
    return 0;
}

FAKE int nvmlInit_v2() {
    ++initialized;
    return 0;
}
FAKE int nvmlShutdown() {
    --initialized;
    return 0;
}
FAKE int fakeNvmlUsers() { return initialized; }
FAKE int nvmlDeviceGetHandleByPciBusId_v2(const char* address, const void** device) {
    for (const Gpu& gpu : kGpus)
        if (initialized > 0 && std::strcmp(gpu.address, address) == 0) {
            *device = &gpu;
            return 0;
        }
    return kInvalid;
}
FAKE int nvmlDeviceGetUtilizationRates(const void* device, Utilization* rates) {
    const Gpu& gpu = *static_cast<const Gpu*>(device);
    if (!gpu.tellsUse) return kNotSupported;
    *rates = {gpu.percent, 0};
    return 0;
}
FAKE int nvmlDeviceGetMemoryInfo(const void* device, Memory* memory) {
    *memory = {8ULL << 30, 0, static_cast<const Gpu*>(device)->usedBytes};
    return 0;
}
FAKE int nvmlDeviceGetTemperature(const void* device, int sensor, unsigned int* celsius) {
    *celsius = static_cast<const Gpu*>(device)->celsius;
    return sensor == 0 ? 0 : kInvalid;
}
FAKE int nvmlDeviceGetPowerUsage(const void* device, unsigned int* milliwatts) {
    *milliwatts = static_cast<const Gpu*>(device)->milliwatts;
    return 0;
}
