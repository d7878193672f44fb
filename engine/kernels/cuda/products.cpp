// SPDX-License-Identifier: Apache-2.0
// Matrix products with an epilogue, by the cuBLASLt that torch has loaded: its functions are looked up there, so that the
// module links no further library. Without the header of cuBLASLt, which comes with nvcc's toolkit, there are no such products.
#include "engine/kernels/cuda/products.h"

#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/product_layout.h"

#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <dlfcn.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>

namespace heddle::cuda {
namespace {

#define HEDDLE_FOR_CUBLASLT(FUNCTION)         \
    FUNCTION(cublasLtCreate)                  \
    FUNCTION(cublasLtMatmul)                  \
    FUNCTION(cublasLtMatmulAlgoGetHeuristic)  \
    FUNCTION(cublasLtMatmulDescCreate)        \
    FUNCTION(cublasLtMatmulDescDestroy)       \
    FUNCTION(cublasLtMatmulDescSetAttribute)  \
    FUNCTION(cublasLtMatrixLayoutCreate)      \
    FUNCTION(cublasLtMatrixLayoutDestroy)     \
    FUNCTION(cublasLtMatmulPreferenceCreate)  \
    FUNCTION(cublasLtMatmulPreferenceDestroy) \
    FUNCTION(cublasLtMatmulPreferenceSetAttribute)

struct Library {
#define HEDDLE_MEMBER(function) decltype(&::function) function = nullptr;
    HEDDLE_FOR_CUBLASLT(HEDDLE_MEMBER)
#undef HEDDLE_MEMBER
};

#define HEDDLE_TEXT_OF(x) #x
#define HEDDLE_TEXT(x) HEDDLE_TEXT_OF(x)

/// Null: torch has loaded no library of the header's version.
const Library* findLibrary() {
    void* const loaded = dlopen("libcublasLt.so." HEDDLE_TEXT(CUBLAS_VER_MAJOR), RTLD_LAZY | RTLD_NOLOAD);
    if (!loaded) return nullptr;
    static Library found;
    bool isWhole = true;
#define HEDDLE_LOOK_UP(function)                                                           \
    found.function = reinterpret_cast<decltype(found.function)>(dlsym(loaded, #function)); \
    isWhole = isWhole && found.function;
    HEDDLE_FOR_CUBLASLT(HEDDLE_LOOK_UP)
#undef HEDDLE_LOOK_UP
    return isWhole ? &found : nullptr;
}

const Library* library() {
    static const Library* const found = findLibrary();
    return found;
}

void check(cublasStatus_t status, const char* function) {
    TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS, function, " failed with status ", static_cast<int>(status),
                " in a product with an epilogue: take cuda-epilogues out of HEDDLE_WITH");
}
#define HEDDLE_CUBLASLT(function, ...) check(library()->function(__VA_ARGS__), #function)

template <class Opaque>
using Owned = std::unique_ptr<Opaque, cublasStatus_t (*)(Opaque*)>;

/// What a call of cublasLtMatmul needs beside the addresses of matrices.
class Description {
public:
    /// `sums` and `mask`: their addresses, or what tells how they are aligned.
    Description(const ProductShape& shape, void* sums, const void* mask)
        : operation(nullptr, library()->cublasLtMatmulDescDestroy) {
        const ColumnProduct p = columnProductOf(shape);
        const bool sumsUp = shape.epilogue == ProductEpilogue::BiasGradient;
        cublasLtMatmulDesc_t made = nullptr;
        HEDDLE_CUBLASLT(cublasLtMatmulDescCreate, &made, CUBLAS_COMPUTE_32F, CUDA_R_32F);
        operation.reset(made);
        set(CUBLASLT_MATMUL_DESC_TRANSB, p.transposesB ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, sumsUp ? CUBLASLT_EPILOGUE_BGRADB : CUBLASLT_EPILOGUE_DRELU);
        if (sumsUp) {
            set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums);
        } else {
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask);
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.d.stride);
        }
        a = layoutOf(p.a, CUDA_R_16BF);
        b = layoutOf(p.b, CUDA_R_16BF);
        d = layoutOf(p.d, sumsUp ? CUDA_R_32F : CUDA_R_16BF);
    }

    using Layout = Owned<cublasLtMatrixLayoutOpaque_t>;
    Owned<cublasLtMatmulDescOpaque_t> operation;
    Layout a{nullptr, nullptr}, b{nullptr, nullptr}, d{nullptr, nullptr};

private:
    template <class Value>
    void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
        HEDDLE_CUBLASLT(cublasLtMatmulDescSetAttribute, operation.get(), attribute, &value, sizeof(value));
    }
    static Layout layoutOf(const ColumnProduct::Matrix& of, cudaDataType_t type) {
        cublasLtMatrixLayout_t made = nullptr;
        HEDDLE_CUBLASLT(cublasLtMatrixLayoutCreate, &made, type, static_cast<std::uint64_t>(of.rows),
                        static_cast<std::uint64_t>(of.columns), of.stride);
        return {made, library()->cublasLtMatrixLayoutDestroy};
    }
};

struct Algorithm {
    cublasLtHandle_t handle;  ///< of the device
    bool isThere;
    cublasLtMatmulAlgo_t chosen;
    std::size_t memory;  ///< bytes
};

/// What the library's heuristic proposes first for this shape on the current device. Sums of parts of k have a fixed order: the
/// parts lie in the memory until a kernel of its own adds them up.
Algorithm chooseAlgorithm(const ProductShape& shape, cublasLtHandle_t handle) {
    constexpr std::size_t kMostMemory = std::size_t{32} << 20;
    constexpr auto kAlignment = static_cast<std::uint32_t>(kProductAlignment);
    constexpr std::uint32_t kSchemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    alignas(256) static char memory[256];  // the heuristic looks at how an address is aligned, and not at what lies there
    const Description of(shape, memory + kProductAlignment, memory + kProductAlignment);
    cublasLtMatmulPreference_t made = nullptr;
    HEDDLE_CUBLASLT(cublasLtMatmulPreferenceCreate, &made);
    const Owned<cublasLtMatmulPreferenceOpaque_t> preference(made, library()->cublasLtMatmulPreferenceDestroy);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
        HEDDLE_CUBLASLT(cublasLtMatmulPreferenceSetAttribute, preference.get(), attribute, &value, sizeof(value));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostMemory);
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kSchemes);
    for (const auto operand : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        prefer(operand, kAlignment);
    int count = 0;
    cublasLtMatmulHeuristicResult_t best{};
    const cublasStatus_t status =
        library()->cublasLtMatmulAlgoGetHeuristic(handle, of.operation.get(), of.a.get(), of.b.get(), of.d.get(), of.d.get(),
                                                  preference.get(), /*requestedAlgoCount=*/1, &best, &count);
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status, "cublasLtMatmulAlgoGetHeuristic");
    const bool isThere = status == CUBLAS_STATUS_SUCCESS && count > 0 && best.state == CUBLAS_STATUS_SUCCESS;
    return {handle, isThere, best.algo, best.workspaceSize};
}

/// Of the current device, chosen once for each shape. A handle can be shared by threads: it keeps no state of a call.
const Algorithm& algorithmFor(const ProductShape& s) {
    using Key = std::array<std::int64_t, 7>;
    static std::mutex mutex;
    static std::map<int, cublasLtHandle_t> handles;  // to the end of the process, as torch's
    static std::map<Key, Algorithm> algorithms;      // an entry never moves
    int device = 0;
    C10_CUDA_CHECK(cudaGetDevice(&device));
    const Key key{device, static_cast<std::int64_t>(s.epilogue), s.rows, s.inputs, s.outputs, s.dyStride, s.factorStride};
    const std::lock_guard lock(mutex);
    if (const auto known = algorithms.find(key); known != algorithms.end()) return known->second;
    const c10::cuda::CUDAStreamCaptureModeGuard beside(cudaStreamCaptureModeRelaxed);  // not part of a capture
    cublasLtHandle_t& handle = handles[device];
    if (!handle) HEDDLE_CUBLASLT(cublasLtCreate, &handle);
    return algorithms.emplace(key, chooseAlgorithm(s, handle)).first->second;
}

void launchProduct(const ProductArguments& a, cudaStream_t queue) {
    const Algorithm& by = algorithmFor(a.shape);
    TORCH_CHECK(by.isThere && a.memoryBytes >= static_cast<std::int64_t>(by.memory),
                "a product with an epilogue that productMemory() refuses, or with less memory than it asks for");
    const Description of(a.shape, a.dbias, a.mask);
    const float zero = 0;
    HEDDLE_CUBLASLT(cublasLtMatmul, by.handle, of.operation.get(), &a.scale, a.factor, of.a.get(), a.dy, of.b.get(), &zero,
                    a.made, of.d.get(), a.made, of.d.get(), &by.chosen, a.memory, by.memory, queue);
}

}  // namespace

std::int64_t productMemory(const ProductShape& shape, int device) {
    if (!library()) return -1;
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    const Algorithm& by = algorithmFor(shape);
    return by.isThere ? static_cast<std::int64_t>(by.memory) : -1;
}

}  // namespace heddle::cuda

#else

namespace heddle::cuda {
namespace {

void launchProduct(const ProductArguments& /*a*/, cudaStream_t /*queue*/) {
    TORCH_CHECK(false, "this build has no products with epilogues: productMemory() says so");
}

}  // namespace

std::int64_t productMemory(const ProductShape& /*shape*/, int /*device*/) { return -1; }

}  // namespace heddle::cuda

#endif

namespace heddle::cuda {

void launch(const ProductArguments& a, cudaStream_t queue) { launchProduct(a, queue); }

}  // namespace heddle::cuda
