// SPDX-License-Identifier: Apache-2.0
#pragma once

// Building blocks of all kernels. nvcc compiles them for the device; the host compiler compiles them for
// tests/unit/engine/kernels/cuda_twin_test.cpp, which tests indices, strides and masks without a device.

#include "engine/device/cuda_arguments.h"

#include <cmath>
#include <cstring>

#ifdef __CUDACC__
#define HEDDLE_BOTH __device__ __forceinline__
#define HEDDLE_UNROLL _Pragma("unroll")
#else
#define HEDDLE_BOTH inline
#define HEDDLE_UNROLL
#endif

namespace heddle::cuda {

struct BFloat16 {
    std::uint16_t bits;
};

HEDDLE_BOTH float toFloat(float x) { return x; }
HEDDLE_BOTH float toFloat(BFloat16 x) {
    const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
    float y;
    std::memcpy(&y, &bits, sizeof(y));
    return y;
}

HEDDLE_BOTH void fromFloat(float x, float& to) { to = x; }
/// Rounds to nearest even; NaN stays NaN.
HEDDLE_BOTH void fromFloat(float x, BFloat16& to) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    const bool isNumber = (bits & 0x7FFFFFFFU) <= 0x7F800000U;
    to.bits = static_cast<std::uint16_t>(isNumber ? (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16 : 0x7FC0U);
}

/// Four values in registers.
struct Four {
    float v[4];
};

HEDDLE_BOTH Four added(const Four& x, const Four& y) {
    return {{x.v[0] + y.v[0], x.v[1] + y.v[1], x.v[2] + y.v[2], x.v[3] + y.v[3]}};
}

/// x · y, rounded also where a sum follows, as the product of an operator is.
HEDDLE_BOTH float product(float x, float y) {
#ifdef __CUDA_ARCH__
    return __fmul_rn(x, y);
#else
    return x * y;
#endif
}

HEDDLE_BOTH float total(const Four& x) { return (x.v[0] + x.v[1]) + (x.v[2] + x.v[3]); }

/// Four adjacent elements at a multiple of four: one Philox block and one memory access. At the ends of a row some belong to
/// adjacent rows.
struct Quad {
    std::int64_t first;
    int begin, end;  ///< the range of the four that belongs to the row

    HEDDLE_BOTH bool holds(int i) const { return i >= begin && i < end; }
    HEDDLE_BOTH bool isWhole() const { return begin == 0 && end == 4; }
};

/// Consecutive elements of a tensor: a row of it, or all.
struct Span {
    std::int64_t begin, width;

    HEDDLE_BOTH std::int64_t quads() const { return (begin + width + 3) / 4 - begin / 4; }
    HEDDLE_BOTH Quad quad(std::int64_t i) const {
        const std::int64_t first = (begin / 4 + i) * 4, behind = begin + width - first;
        return {first, static_cast<int>(first < begin ? begin - first : 0), static_cast<int>(behind < 4 ? behind : 4)};
    }
};

/// Maximum number of quads that a row of this width overlaps, at any offset.
constexpr std::int64_t quadsOf(std::int64_t width) { return width % 4 == 0 ? width / 4 : width / 4 + 2; }

template <class T>
struct alignas(4 * sizeof(T)) Together {
    T v[4];
};
template <class T>
HEDDLE_BOTH bool isOneAccess(const T* at, const Quad& q) {
    return q.isWhole() && reinterpret_cast<std::uintptr_t>(at) % sizeof(Together<T>) == 0;
}

/// Reads the quad's elements of a tensor, 0 outside of the row; `shift`: offset in that tensor. A thread waits for a value
/// where it first uses it. A pass therefore reads all its operands before it computes, and waits once.
template <class T>
HEDDLE_BOTH Together<T> fetch(const void* tensor, const Quad& q, std::int64_t shift = 0) {
    const T* const at = static_cast<const T*>(tensor) + (q.first + shift);
    Together<T> x{};
    if (isOneAccess(at, q)) {
        x = *reinterpret_cast<const Together<T>*>(at);
    } else {
        HEDDLE_UNROLL
        for (int i = 0; i < 4; ++i)
            if (q.holds(i)) x.v[i] = at[i];
    }
    return x;
}

template <class T>
HEDDLE_BOTH Four widened(const Together<T>& x) {
    Four wide;
    HEDDLE_UNROLL
    for (int i = 0; i < 4; ++i) wide.v[i] = toFloat(x.v[i]);
    return wide;
}

template <class T>
HEDDLE_BOTH Four load(const void* tensor, const Quad& q, std::int64_t shift = 0) {
    return widened(fetch<T>(tensor, q, shift));
}

template <class T>
HEDDLE_BOTH void store(void* tensor, const Quad& q, const Four& x, std::int64_t shift = 0) {
    T* const at = static_cast<T*>(tensor) + (q.first + shift);
    if (isOneAccess(at, q)) {
        Together<T> all;
        HEDDLE_UNROLL
        for (int i = 0; i < 4; ++i) fromFloat(x.v[i], all.v[i]);
        *reinterpret_cast<Together<T>*>(at) = all;
    } else {
        HEDDLE_UNROLL
        for (int i = 0; i < 4; ++i)
            if (q.holds(i)) fromFloat(x.v[i], at[i]);
    }
}

/// Applies dropout.
class Drawing {
public:
    HEDDLE_BOTH explicit Drawing(const Drop& drop) : stream_(drop.stream), threshold_(drop.threshold), scale_(drop.scale) {
        if (drop.countersAt) stream_.count(*drop.countersAt);
    }
    HEDDLE_BOTH void apply(Four& x, const Quad& q) const {
        if (threshold_ == 0) return;
        const auto number = static_cast<std::uint64_t>(q.first) / 4;
        const philox::Block words = philox::draw(
            {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), stream_.word2, stream_.word3},
            stream_.key);
        HEDDLE_UNROLL
        for (int i = 0; i < 4; ++i) x.v[i] = words[static_cast<std::size_t>(i)] < threshold_ ? 0.0F : x.v[i] * scale_;
    }

private:
    philox::Stream stream_;
    std::uint32_t threshold_;
    float scale_;
};

HEDDLE_BOTH float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// Elementwise passes: functors on quads, in any order.

template <class T>
struct DropoutPass {
    DropoutArguments a;
    HEDDLE_BOTH void operator()(const Quad& q) const {
        const Together<T> given = fetch<T>(a.x, q);
        Together<BFloat16> added[DropoutArguments::kAdded] = {};
        HEDDLE_UNROLL
        for (int n = 0; n < DropoutArguments::kAdded; ++n)
            if (a.added[n]) added[n] = fetch<BFloat16>(a.added[n], q);
        Four x = widened(given);
        HEDDLE_UNROLL
        for (const Together<BFloat16>& one : added) HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) x.v[j] += toFloat(one.v[j]);
        if (a.rectifies) {
            HEDDLE_UNROLL
            for (float& v : x.v) v = v <= 0 ? 0.0F : v;
        }
        Drawing(a.drop).apply(x, q);
        store<T>(a.y, q, x);
        if (a.y16) store<BFloat16>(a.y16, q, x);
    }
};

template <class Stream, class T>
struct AdjustPass {
    AdjustArguments args;
    HEDDLE_BOTH void operator()(const Quad& q) const {
        const Four a = load<T>(args.a, q), e = load<T>(args.e, q);
        Four x = load<Stream>(args.x, q);
        HEDDLE_UNROLL
        for (int i = 0; i < 4; ++i) x.v[i] += std::tanh(a.v[i]) * sigmoid(e.v[i]);
        store<Stream>(args.y, q, x);
    }
};

}  // namespace heddle::cuda
