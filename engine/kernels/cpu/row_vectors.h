// SPDX-License-Identifier: Apache-2.0
// Common code of the row kernels. Every kernel is written once on vectors of 16 lanes, which the compiler maps to the
// processor's width, and compiled for several processors.
#pragma once

#include "engine/kernels/cpu/row_kernels.h"

#include <cstring>

#if defined(__x86_64__)
#define HEDDLE_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#define HEDDLE_AVX2 __attribute__((target("avx2,fma")))
#endif
#define HEDDLE_INLINE inline __attribute__((always_inline))

namespace heddle::rows {
namespace {

using Floats = float __attribute__((vector_size(64), aligned(4), may_alias));
using Words = std::uint32_t __attribute__((vector_size(64), aligned(4), may_alias));
using Integers = std::int32_t __attribute__((vector_size(64), aligned(4), may_alias));

HEDDLE_INLINE void load(const float* from, Floats& v) { v = *reinterpret_cast<const Floats*>(from); }
HEDDLE_INLINE void store(float* to, const Floats& v) { *reinterpret_cast<Floats*>(to) = v; }

/// Loads up to 16 of the `left` remaining values of a row, padded with `filler`.
HEDDLE_INLINE void loadPartial(const float* from, std::int64_t left, float filler, Floats& v) {
    if (left >= kLanes) {
        load(from, v);
        return;
    }
    v = Floats{} + filler;
    if (left > 0) std::memcpy(&v, from, static_cast<std::size_t>(left) * sizeof(float));
}

HEDDLE_INLINE void storePartial(float* to, std::int64_t left, const Floats& v) {
    if (left >= kLanes)
        store(to, v);
    else if (left > 0)
        std::memcpy(to, &v, static_cast<std::size_t>(left) * sizeof(float));
}

HEDDLE_INLINE float total(const Floats& v) {
    float sum = 0;
    for (int i = 0; i < kLanes; ++i) sum += v[i];
    return sum;
}

/// eˣ for x ≤ 88; relative error below 2·10⁻⁷; below -87 the value at -87; NaN stays (Moshier's Cephes, expf).
HEDDLE_INLINE void exponential(Floats& x) {
    constexpr float kShift = 12582912.0F;  // 1.5 · 2²³: adding it rounds to an integer
    x = x < -87.0F ? Floats{} - 87.0F : x;
    const Floats shifted = x * 1.44269504088896341F + kShift;
    const Floats n = shifted - kShift;
    Floats r = x - n * 0.693359375F;
    r = r + n * 2.12194440e-4F;
    Floats p = r * 1.9875691500e-4F + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    x = (Floats)((Integers)p + ((Integers)shifted << 23));
}

#if defined(__x86_64__)
enum class Processor { Any, Avx2, Avx512 };

inline Processor thisProcessor() {
    static const Processor kThis = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? Processor::Avx512
                                   : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")        ? Processor::Avx2
                                                                                                            : Processor::Any;
    return kThis;
}

/// `result NAME(parameters)` calls NAMEBody for this processor.
#define HEDDLE_KERNEL(result, name, parameters, arguments)                        \
    namespace {                                                                   \
    HEDDLE_AVX512 result name##Avx512 parameters { return name##Body arguments; } \
    HEDDLE_AVX2 result name##Avx2 parameters { return name##Body arguments; }     \
    result name##Any parameters { return name##Body arguments; }                  \
    }                                                                             \
    result name parameters {                                                      \
        if (thisProcessor() == Processor::Avx512) return name##Avx512 arguments;  \
        if (thisProcessor() == Processor::Avx2) return name##Avx2 arguments;      \
        return name##Any arguments;                                               \
    }
#else
#define HEDDLE_KERNEL(result, name, parameters, arguments) \
    result name parameters { return name##Body arguments; }
#endif

}  // namespace
}  // namespace heddle::rows
