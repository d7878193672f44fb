// SPDX-License-Identifier: Apache-2.0
#include "engine/device/cuda_module.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>

namespace heddle {
namespace {

struct Found {
    const CudaTable* table = nullptr;
    std::string status;
};

/// The folder of the library that contains this code.
std::filesystem::path ownFolder() {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&cudaModuleStatus), &info);
    return std::filesystem::path(info.dli_fname).parent_path();
}

Found search() {
    void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver) return {nullptr, "no NVIDIA driver (libcuda.so.1)"};
    const std::string file = (ownFolder() / "libheddle_cuda.so").string();
    // Never unloaded: torch keeps pointers to its CUDA hooks.
    void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!module) return {nullptr, "NVIDIA driver found, but the CUDA module cannot be loaded: " + std::string(dlerror())};
    const auto function = reinterpret_cast<CudaTableFunction>(dlsym(module, "heddleCudaTable"));
    const CudaTable* table = function ? function() : nullptr;
    if (!table || table->identity != cudaTableIdentity()) return {nullptr, file + " belongs to another build of Heddle"};
    return {table, file};
}

const Found& found() {
    static const Found result = search();
    return result;
}

std::atomic<const CudaTable*> givenTable = nullptr;

/// Whether the kernels run on a device. To ask makes a context there, which takes hundreds of MiB of its memory.
enum class KernelsRun : signed char { NotAsked, Yes, No };
std::array<std::atomic<KernelsRun>, kMostCudaDevices> runOn{};

}  // namespace

const CudaTable* cudaTable() {
    const CudaTable* const given = givenTable;
    return given ? given : found().table;
}

void useCudaTable(const CudaTable* table) {
    givenTable = table;
    for (std::atomic<KernelsRun>& answer : runOn) answer = KernelsRun::NotAsked;
}

const CudaKernels* cudaKernelsOn(int device) {
    const CudaTable* const table = cudaTable();
    if (!table || !table->kernels) return nullptr;
    std::atomic<KernelsRun>& answer = runOn.at(static_cast<std::size_t>(device));
    if (answer == KernelsRun::NotAsked) answer = table->kernelsRunOn(device) ? KernelsRun::Yes : KernelsRun::No;
    return answer == KernelsRun::Yes ? table->kernels : nullptr;
}

std::string cudaModuleStatus() { return found().status; }

}  // namespace heddle
