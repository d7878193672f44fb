// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda/attention_bodies.h"
#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/teams.h"

#include <cuda_bf16.h>
#include <mma.h>

namespace heddle::cuda {
namespace {

/// Threads of a block, of which a multiprocessor holds two at once; and of the team of a row.
constexpr int kBlockThreads = 256, kBlocksAtOnce = 2, kRowThreads = 16;
constexpr int kRowQuads = (quadsOf(kMostAttended - 1) + kRowThreads - 1) / kRowThreads;

/// What attention_bodies.h asks of a block.
class DeviceBlock {
public:
    __device__ __forceinline__ int thread() const { return static_cast<int>(threadIdx.x); }
    __device__ __forceinline__ int threads() const { return kBlockThreads; }
    __device__ __forceinline__ void sync() { __syncthreads(); }

    template <class Use>
    __device__ __forceinline__ void rows(int n, const Use& use) {
        DeviceTeam<kRowThreads> team;
        for (int row = thread() / kRowThreads; row < n; row += kBlockThreads / kRowThreads) use(row, team);
    }

    /// Each warp computes its share of the squares of kTileSide rows and columns, in a fixed order.
    template <bool kTransposesA, bool kTransposesB>
    __device__ __forceinline__ void product(const Tile<float>& c, const TileFactor<kTransposesA>& a,
                                            const TileFactor<kTransposesB>& b, IntoTile into) {
#if __CUDA_ARCH__ >= 800
        const int columns = c.columns / kTileSide, all = c.rows / kTileSide * columns;
        for (int i = thread() / kWarp; i < all; i += kBlockThreads / kWarp) {
            const int row = i / columns * kTileSide, column = i % columns * kTileSide;
            float* const to = c.at + row * c.stride() + column;
            Sum sum;
            if (into == IntoTile::Add)
                nvcuda::wmma::load_matrix_sync(sum, to, c.stride(), nvcuda::wmma::mem_row_major);
            else
                nvcuda::wmma::fill_fragment(sum, 0.0F);
            for (int j = 0; j < a.columns(); j += kTileSide) {
                Part<nvcuda::wmma::matrix_a, kTransposesA> left;
                Part<nvcuda::wmma::matrix_b, kTransposesB> right;
                read(left, a, row, j);
                read(right, b, j, column);
                nvcuda::wmma::mma_sync(sum, left, right, sum);
            }
            nvcuda::wmma::store_matrix_sync(to, sum, c.stride(), nvcuda::wmma::mem_row_major);
        }
#else
        multiplyPlainly(thread(), threads(), c, a, b, into);
#endif
    }

private:
#if __CUDA_ARCH__ >= 800
    using Sum = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, kTileSide, kTileSide, kTileSide, float>;
    template <class Side, bool kTransposed>
    using Part = nvcuda::wmma::fragment<Side, kTileSide, kTileSide, kTileSide, __nv_bfloat16,
                                        std::conditional_t<kTransposed, nvcuda::wmma::col_major, nvcuda::wmma::row_major>>;

    template <class Side, bool kTransposed>
    __device__ __forceinline__ static void read(Part<Side, kTransposed>& part, const TileFactor<kTransposed>& from, int row,
                                                int column) {
        const int stride = from.of.stride(), first = kTransposed ? column * stride + row : row * stride + column;
        nvcuda::wmma::load_matrix_sync(part, reinterpret_cast<const __nv_bfloat16*>(from.of.at + first), stride);
    }
#endif
};

template <class Pass>
__global__ void __launch_bounds__(kBlockThreads, kBlocksAtOnce) headsKernel(const __grid_constant__ Pass pass) {
    extern __shared__ __align__(128) unsigned char memory[];
    DeviceBlock block;
    pass(std::int64_t{blockIdx.x}, block, memory);
}

/// One block for each head. More than 48 KB of a block's memory must be asked for on every device; this costs no time.
template <class Pass>
void launchHeads(const Pass& pass, std::int64_t heads, cudaStream_t queue) {
    if (heads == 0) return;
    const int bytes = pass.layout.bytes;
    cudaFuncSetAttribute(headsKernel<Pass>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    headsKernel<<<static_cast<unsigned>(heads), kBlockThreads, bytes, queue>>>(pass);
}

}  // namespace

void launch(const AttentionArguments& a, cudaStream_t queue) {
    withType(a.carriedType, [&](auto type) {
        launchHeads(AttentionPass<typename decltype(type)::Type, kRowQuads>{a}, a.shape.batch * a.shape.heads, queue);
    });
}

void launch(const AttentionBackwardArguments& a, cudaStream_t queue) {
    withType(a.forward.carriedType, [&](auto type) {
        launchHeads(AttentionBackwardPass<typename decltype(type)::Type, kRowQuads>{a},
                    partsOfSentences(a) * a.forward.shape.heads, queue);
    });
}

}  // namespace heddle::cuda
