// SPDX-License-Identifier: Apache-2.0
#include "engine/device/cuda/kernels.h"

namespace heddle::cuda {
namespace {

constexpr int kThreads = 256;

/// One thread draws one Philox block and so makes four elements; philox::draw is the code that the CPU is tested against.
__global__ void dropoutKernel(DropoutArguments a, philox::Stream stream) {
    const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (block * 4 >= a.n) return;
    const auto number = static_cast<std::uint64_t>(block);
    const philox::Block words = philox::draw(
        {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), stream.word2, stream.word3}, stream.key);
    for (int lane = 0; lane < 4; ++lane) {
        const std::int64_t i = block * 4 + lane;
        if (i < a.n) a.y[i] = words[lane] < a.threshold ? 0.0f : a.x[i] * a.scale;
    }
}

}  // namespace

void launchDropout(const DropoutArguments& arguments, const philox::Stream& stream, cudaStream_t queue) {
    if (arguments.n == 0) return;
    const std::int64_t blocks = (arguments.n + 3) / 4;
    const auto grid = static_cast<unsigned>((blocks + kThreads - 1) / kThreads);
    dropoutKernel<<<grid, kThreads, 0, queue>>>(arguments, stream);
}

}  // namespace heddle::cuda
