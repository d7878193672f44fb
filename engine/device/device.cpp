// SPDX-License-Identifier: Apache-2.0
#include "engine/device/device.h"

#include "engine/base/device_lost.h"
#include "engine/base/error.h"
#include "engine/base/threads.h"
#include "engine/device/cuda_module.h"
#include "engine/device/cuda_table.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <mutex>

#if !defined(_OPENMP) && !defined(__clang_analyzer__)
#error "at::parallel_for would run on one thread: compile what includes torch with -fopenmp (HeddleTorch.cmake)"
#endif

namespace heddle {
namespace {

constexpr const char* kHarmless[] = {
    "there was no current CUDA context",    // the first product of autograd's thread; LibTorch sets the context then
    "not part of single contiguous chunk",  // each weight of a recurrent network is a parameter of its own
};

class RelevantWarnings final : public c10::WarningHandler {
public:
    void process(const c10::Warning& warning) override {
        const auto contains = [&](const char* text) { return warning.msg().find(text) != std::string::npos; };
        if (std::none_of(std::begin(kHarmless), std::end(kHarmless), contains)) c10::WarningHandler::process(warning);
    }
};

/// From now on drops those warnings of LibTorch on this thread that mean nothing to a user of Heddle. Others go to standard
/// error. A backward pass hands the warnings of its threads to the thread that called it.
void dropHarmlessWarnings() {
    static RelevantWarnings handler;  // it has no state: all threads may share it
    c10::WarningUtils::set_warning_handler(&handler);
}

/// The CUDA devices that chooseDevice() has returned.
std::array<std::atomic<bool>, kMostCudaDevices> chosenDevices{};

at::Device chosenDevice(int device) {
    chosenDevices.at(static_cast<std::size_t>(device)) = true;
    return {at::kCUDA, static_cast<c10::DeviceIndex>(device)};
}

std::mutex lostMutex;
std::string lostReason;  // guarded by lostMutex; empty: no device was lost

void refuseLostDevice() {
    const std::lock_guard lock(lostMutex);
    if (!lostReason.empty()) throw DeviceLostError(lostReason, "train.device");
}

/// Number of devices that LibTorch can use. Loads the CUDA module first, because LibTorch looks for its CUDA part only once.
int usableCudaDevices() {
    const CudaTable* table = cudaTable();
    return table && at::globalContext().hasCUDA() ? table->deviceCount() : 0;
}

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "CPU";
}

std::uint64_t physicalMemory() {
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

at::Device chooseDevice(const std::string& name) {
    const std::string where = "train.device";
    if (name == "cpu") return at::kCPU;
    refuseLostDevice();
    const int count = usableCudaDevices();
    if (name == "auto") return count > 0 ? chosenDevice(0) : at::Device(at::kCPU);
    if (!name.starts_with("cuda") || (name.size() > 4 && name[4] != ':'))
        throwInvalid("unknown device \"" + name + "\"", where, "use auto, cpu, cuda or cuda:0");
    if (count == 0) throwInvalid("no CUDA device: " + cudaModuleStatus(), where, "use device cpu, or see `heddle doctor`");
    const std::string digits = name.size() > 4 ? name.substr(5) : "0";
    const bool isNumber = !digits.empty() && digits.size() <= 3 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!isNumber || std::stoi(digits) >= count)
        throwInvalid("device \"" + name + "\" does not exist; CUDA devices: " + std::to_string(count), where,
                     "use cuda:0 … cuda:" + std::to_string(count - 1));
    return chosenDevice(std::stoi(digits));
}

void setDeviceLost(const std::string& reason) {
    const std::lock_guard lock(lostMutex);
    lostReason = reason;
}

bool isADeviceLost() {
    const CudaTable* const table = cudaTable();
    for (std::size_t i = 0; table && i < kMostCudaDevices; ++i)
        if (chosenDevices[i] && !table->isUsable(static_cast<int>(i))) return true;
    return false;
}

std::vector<DeviceInfo> listDevices() {
    std::vector<DeviceInfo> devices{{"cpu", processorName(), physicalMemory()}};
    const int count = usableCudaDevices();
    for (int i = 0; i < count; ++i) {
        char text[256] = "";
        cudaTable()->deviceName(i, text, sizeof(text));
        devices.push_back({"cuda:" + std::to_string(i), text, cudaTable()->deviceBytes(i)});
    }
    return devices;
}

DeviceInfo deviceInfo(const at::Device& device) {
    const std::string id = device.is_cuda() ? "cuda:" + std::to_string(static_cast<int>(device.index())) : "cpu";
    for (DeviceInfo& info : listDevices())
        if (info.id == id) return std::move(info);
    return {id, "", 0};
}

std::int64_t logitsAtOnce(const at::Device& device) {
    constexpr std::int64_t kMost = std::int64_t{1} << 30, kBytesForEach = 64;
    if (!device.is_cuda()) return kLogitsAtOnce;
    return std::clamp(static_cast<std::int64_t>(deviceInfo(device).bytes) / kBytesForEach, kLogitsAtOnce, kMost);
}

ComputeSettings configureComputeThread(const ComputeSettings& wanted) {
    dropHarmlessWarnings();
    at::globalContext().setFlushDenormal(true);
    at::set_num_threads(wanted.threads > 0 ? wanted.threads : physicalCores());
    static std::once_flag interOp;  // LibTorch allows this once in a process, before any parallel work
    std::call_once(interOp, [] {
        try {
            at::set_num_interop_threads(1);
        } catch (const c10::Error&) {  // parallel work has already started (a test, a host program)
        }
    });
    at::globalContext().setDeterministicAlgorithms(wanted.deterministic, false);
    // Deterministic mode would also fill every new tensor with NaN, a debugging aid that costs a pass over memory.
    at::globalContext().setDeterministicFillUninitializedMemory(false);
    at::globalContext().setBenchmarkCuDNN(!wanted.deterministic);
    at::globalContext().setAllowTF32CuDNN(false);  // convolutions of float32 are as exact as its matrix products
    return {at::get_num_threads(), wanted.deterministic};
}

}  // namespace heddle
