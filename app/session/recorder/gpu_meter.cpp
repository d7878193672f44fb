// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/gpu_meter.h"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kBytesInMib = 1024.0 * 1024.0;
constexpr double kMilliwattsInWatt = 1000;

// The parts of nvml.h and cuda.h that are used here, from NVML's API reference and the CUDA driver API reference (CUDA 13).
// Both interfaces are stable: a structure or function that changes gets another name.

using NvmlDevice = void*;
constexpr int kNvmlSuccess = 0, kCudaSuccess = 0;
constexpr int kNvmlTemperatureGpu = 0;  // NVML_TEMPERATURE_GPU
struct NvmlUtilization {
    unsigned int gpu = 0, memory = 0;  // percent
};
struct NvmlMemory {
    unsigned long long total = 0, free = 0, used = 0;  // bytes
};

template <class F>
bool load(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

/// The number in "cuda:1"; absent for another kind of device.
std::optional<int> ordinalOf(const std::string& device) {
    constexpr std::string_view kPrefix = "cuda:";
    if (device.rfind(kPrefix, 0) != 0) return {};
    int ordinal = 0;
    const char* end = device.data() + device.size();
    const auto [stop, failed] = std::from_chars(device.data() + kPrefix.size(), end, ordinal);
    return failed == std::errc() && stop == end ? std::optional(ordinal) : std::nullopt;
}

/// "00000000:17:00.0" of the GPU with this number in this process; empty where the CUDA driver does not tell.
std::string pciAddressOf(int ordinal, const std::string& library) {
    // Only where CUDA is in use: opening the driver takes a tenth of a second.
    void* cuda = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (!cuda) return "";
    int (*deviceGet)(int*, int) = nullptr;
    int (*addressOf)(char*, int, int) = nullptr;
    std::array<char, 64> address{};
    int device = 0;
    const bool isKnown = load(cuda, "cuDeviceGet", deviceGet) && load(cuda, "cuDeviceGetPCIBusId", addressOf) &&
                         deviceGet(&device, ordinal) == kCudaSuccess &&
                         addressOf(address.data(), static_cast<int>(address.size()) - 1, device) == kCudaSuccess;
    dlclose(cuda);
    return isKnown ? address.data() : "";
}

}  // namespace

struct GpuMeter::Nvml {
    void* library = nullptr;
    NvmlDevice device = nullptr;
    bool isInitialized = false;
    int (*initialize)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*deviceAt)(const char*, NvmlDevice*) = nullptr;
    int (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
    int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
    int (*temperature)(NvmlDevice, int, unsigned int*) = nullptr;
    int (*power)(NvmlDevice, unsigned int*) = nullptr;

    Nvml() = default;
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;
    ~Nvml() {
        if (isInitialized) shutdown();
        if (library) dlclose(library);
    }

    bool open(const std::string& name, const std::string& address) {
        library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
        if (!library) return false;
        const bool isComplete =
            load(library, "nvmlInit_v2", initialize) && load(library, "nvmlShutdown", shutdown) &&
            load(library, "nvmlDeviceGetHandleByPciBusId_v2", deviceAt) &&
            load(library, "nvmlDeviceGetUtilizationRates", utilization) && load(library, "nvmlDeviceGetMemoryInfo", memory) &&
            load(library, "nvmlDeviceGetTemperature", temperature) && load(library, "nvmlDeviceGetPowerUsage", power);
        if (!isComplete) return false;
        isInitialized = initialize() == kNvmlSuccess;
        return isInitialized && deviceAt(address.c_str(), &device) == kNvmlSuccess;
    }
};

std::unique_ptr<GpuMeter> GpuMeter::open(const std::string& device, const DriverLibraries& libraries) {
    const auto ordinal = ordinalOf(device);
    const std::string address = ordinal ? pciAddressOf(*ordinal, libraries.cuda) : "";
    if (address.empty()) return nullptr;
    auto nvml = std::make_unique<Nvml>();
    if (!nvml->open(libraries.nvml, address)) return nullptr;
    return std::unique_ptr<GpuMeter>(new GpuMeter(std::move(nvml)));
}

GpuMeter::GpuMeter(std::unique_ptr<Nvml> nvml) : nvml_(std::move(nvml)) {}
GpuMeter::~GpuMeter() = default;

GpuReading GpuMeter::read() const {
    GpuReading reading;
    if (NvmlUtilization rates; nvml_->utilization(nvml_->device, &rates) == kNvmlSuccess) reading.use = rates.gpu / 100.0;
    if (NvmlMemory memory; nvml_->memory(nvml_->device, &memory) == kNvmlSuccess)
        reading.memoryMib = static_cast<double>(memory.used) / kBytesInMib;
    if (unsigned int celsius = 0; nvml_->temperature(nvml_->device, kNvmlTemperatureGpu, &celsius) == kNvmlSuccess)
        reading.temperature = celsius;
    if (unsigned int milliwatts = 0; nvml_->power(nvml_->device, &milliwatts) == kNvmlSuccess)
        reading.watts = milliwatts / kMilliwattsInWatt;
    return reading;
}

}  // namespace heddle::app
