// SPDX-License-Identifier: Apache-2.0
#pragma once

// Launches passes on a device; for nvcc only.

#include "engine/kernels/cuda/rows.h"

#include <cuda_runtime_api.h>

#include <type_traits>

namespace heddle::cuda {

inline constexpr int kWarp = 32;
inline constexpr int kThreads = 256;      ///< threads per block of elementwise kernels
inline constexpr int kTeamThreads = 128;  ///< threads per block of small teams

/// kLanes adjacent threads: a part of a warp, a warp, or a whole block. Sums have a fixed order, equal in all lanes. kTeams: of
/// a block, which add up their sums. What a pass can ask of a team: rows.h.
template <int kLanes, int kTeams = 1>
class DeviceTeam {
    static_assert(kLanes <= kWarp || (kLanes % kWarp == 0 && kTeams == 1));

public:
    __device__ __forceinline__ int lane() const { return static_cast<int>(threadIdx.x) % kLanes; }
    __device__ __forceinline__ int lanes() const { return kLanes; }
    template <class Value>
    __device__ __forceinline__ Value sum(Value x) {
        return joined(x, [](Value a, Value b) { return a + b; });
    }
    __device__ __forceinline__ float max(float x) {
        return joined(x, [](float a, float b) { return b > a ? b : a; });
    }

    __device__ __forceinline__ int warp() const { return lane() / kPart; }
    __device__ __forceinline__ int warps() const { return kLanes / kPart; }
    __device__ __forceinline__ int place() const { return lane() % kPart; }
    __device__ __forceinline__ int places() const { return kPart; }
    __device__ __forceinline__ std::uint32_t vote(bool x) {
        const int shift = static_cast<int>(threadIdx.x) % kWarp / kPart * kPart;
        return (__ballot_sync(members(), x) >> shift) & (kPart == kWarp ? ~0U : (1U << (kPart % kWarp)) - 1U);
    }
    __device__ __forceinline__ int number() const { return static_cast<int>(threadIdx.x) / kLanes % kTeams; }
    __device__ __forceinline__ int teams() const { return kTeams; }
    __device__ __forceinline__ Four sumOfTeams(const Four& x) {
        if constexpr (kTeams == 1) {
            return x;
        } else {
            __shared__ Four ofTeam[kTeams][kLanes];
            __syncthreads();  // the first team has read the previous values
            ofTeam[number()][lane()] = x;
            __syncthreads();
            if (number() > 0) return x;
            Four all = x;
            for (int i = 1; i < kTeams; ++i) all = added(all, ofTeam[i][lane()]);
            return all;
        }
    }
    __device__ __forceinline__ Four sumOfWarps(const Four& x) {
        if constexpr (kLanes <= kWarp) {
            return x;
        } else {
            __shared__ Four ofLane[kLanes / kWarp][kWarp];
            __syncthreads();  // all threads have read the previous result
            ofLane[warp()][place()] = x;
            __syncthreads();
            Four all = ofLane[0][place()];
            for (int i = 1; i < warps(); ++i)
                for (int j = 0; j < 4; ++j) all.v[j] += ofLane[i][place()].v[j];
            return all;
        }
    }

private:
    static constexpr int kPart = kLanes < kWarp ? kLanes : kWarp;

    /// The lanes of the own part of the warp.
    __device__ __forceinline__ static unsigned members() {
        const int first = static_cast<int>(threadIdx.x) % kWarp / kPart * kPart;
        return kPart == kWarp ? ~0U : ((1U << (kPart % kWarp)) - 1U) << first;
    }

    template <class Value, class Join>
    __device__ __forceinline__ Value joined(Value x, const Join& join) {
        for (int distance = kPart / 2; distance > 0; distance /= 2) x = join(x, __shfl_xor_sync(members(), x, distance));
        if constexpr (kLanes > kWarp) {
            constexpr int kWarps = kLanes / kWarp;
            __shared__ Value ofWarp[kWarps];
            __syncthreads();  // all threads have read the previous result
            if (place() == 0) ofWarp[warp()] = x;
            __syncthreads();
            x = ofWarp[0];
            for (int i = 1; i < kWarps; ++i) x = join(x, ofWarp[i]);
        }
        return x;
    }
};

template <>
inline constexpr bool isLargest<DeviceTeam<512>> = true;

/// Number of blocks of kSize threads that a multiprocessor must hold at once for this pass.
template <class Pass, int kSize, class = void>
inline constexpr int kBlocksAtOnce = 1;
template <class Pass, int kSize>
inline constexpr int kBlocksAtOnce<Pass, kSize, std::void_t<decltype(Pass::kThreadsAtOnce)>> =
    Pass::kThreadsAtOnce > kSize ? Pass::kThreadsAtOnce / kSize : 1;

template <int kLanes>
inline constexpr int kBlock = kLanes > kTeamThreads ? kLanes : kTeamThreads;

template <int kLanes, class Pass>
__global__ void __launch_bounds__(kBlock<kLanes>, kBlocksAtOnce<Pass, kBlock<kLanes>>)
    rowsKernel(const __grid_constant__ Pass pass, std::int64_t rows) {
    constexpr int kTeams = kBlock<kLanes> / kLanes;
    const std::int64_t row = std::int64_t{blockIdx.x} * kTeams + threadIdx.x / kLanes;
    if (row >= rows) return;  // with the whole team
    DeviceTeam<kLanes> team;
    pass(row, team);
}

/// The teams of a block, one after the other, are all of one item.
template <int kLanes, int kTeams, class Pass>
__global__ void __launch_bounds__((kLanes * kTeams), kBlocksAtOnce<Pass, kLanes * kTeams>)
    blocksKernel(const __grid_constant__ Pass pass) {
    DeviceTeam<kLanes, kTeams> team;
    pass(std::int64_t{blockIdx.x}, team);
}

template <int kLanes, class Pass>
void launchTeams(const Pass& pass, std::int64_t rows, cudaStream_t queue) {
    constexpr int kTeams = kBlock<kLanes> / kLanes;
    rowsKernel<kLanes><<<static_cast<unsigned>((rows + kTeams - 1) / kTeams), kBlock<kLanes>, 0, queue>>>(pass, rows);
}

/// Calls `use` with the number of lanes of the smallest team that holds a row of `quads` quads, at most kQuadsOfLane in a lane,
/// as a compile-time constant.
template <class Use>
void withLanes(std::int64_t quads, const Use& use) {
    switch (lanesFor(quads)) {
    case 8: return use(std::integral_constant<int, 8>{});
    case 32: return use(std::integral_constant<int, 32>{});
    case 128: return use(std::integral_constant<int, 128>{});
    default: return use(std::integral_constant<int, 512>{});
    }
}
static_assert(kMostQuads == 512 * kQuadsOfLane, "what the largest team keeps");

/// Launches the pass on rows of at most `quads` quads, a team for each row.
template <class Pass>
void launchRows(const Pass& pass, std::int64_t rows, std::int64_t quads, cudaStream_t queue) {
    if (rows == 0) return;
    withLanes(quads, [&](auto lanes) { launchTeams<decltype(lanes)::value>(pass, rows, queue); });
}

/// Launches the pass on blocks of such rows, with as many teams in a block as teamsOfBlock() says.
template <class Pass>
void launchBlocksOfRows(const Pass& pass, std::int64_t blocks, std::int64_t quads, cudaStream_t queue) {
    if (blocks == 0) return;
    withLanes(quads, [&](auto lanes) {
        constexpr int kLanes = decltype(lanes)::value, kTeams = teamsOfBlock(kLanes, Pass::kThreadsAtOnce);
        blocksKernel<kLanes, kTeams><<<static_cast<unsigned>(blocks), kLanes * kTeams, 0, queue>>>(pass);
    });
}

template <class Pass>
__global__ void elementsKernel(const __grid_constant__ Pass pass, std::int64_t n) {
    const Span all{0, n};
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < all.quads()) pass(all.quad(i));
}

template <class Pass>
void launchElements(const Pass& pass, std::int64_t n, cudaStream_t queue) {
    if (n == 0) return;
    elementsKernel<<<static_cast<unsigned>((quadsOf(n) + kThreads - 1) / kThreads), kThreads, 0, queue>>>(pass, n);
}

template <class T>
struct Of {
    using Type = T;
};

/// Calls `use` with Of<float> or Of<BFloat16>.
template <class Use>
void withType(ElementType type, const Use& use) {
    if (type == ElementType::Float32)
        use(Of<float>{});
    else
        use(Of<BFloat16>{});
}

/// Calls `use` with one type for both, or with Of<float> for the sum and Of<BFloat16> for the matrix product.
template <class Use>
void withTypes(ElementType sum, ElementType product, const Use& use) {
    if (sum == product)
        withType(sum, [&](auto type) { use(type, type); });
    else
        use(Of<float>{}, Of<BFloat16>{});
}

}  // namespace heddle::cuda
