// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace heddle {

/// Stateless randomness (design section 4): Philox4x32-10 with key (seed, stream name) and counter (step, micro-step,
/// element). The same bits on CPU and CUDA, whatever the thread count; no default generator is used anywhere.
/// Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
struct RandomKey {
    std::uint64_t key = 0;  ///< from seed and stream name
    std::uint64_t step = 0;
    std::uint32_t microStep = 0;
};

RandomKey randomKey(std::uint64_t seed, std::string_view stream, std::uint64_t step = 0, std::uint32_t microStep = 0);

/// 32 random bits for one element; the definition that every vectorised path must equal.
std::uint32_t randomBits(const RandomKey& key, std::uint64_t element);

/// Float tensor of `sizes` on the options' device: 0 with probability p, else 1/(1-p). Element order is row-major.
at::Tensor dropoutMask(const RandomKey& key, double p, at::IntArrayRef sizes, const at::TensorOptions& options);

/// Uniform in [low, high) / standard normal (Box–Muller), float64 on the CPU: for initialisation.
at::Tensor uniform(const RandomKey& key, at::IntArrayRef sizes, double low, double high);
at::Tensor normal(const RandomKey& key, at::IntArrayRef sizes, double mean, double deviation);

/// Deterministic permutation of 0…n-1 (Fisher–Yates on randomBits), for shuffling. Torch-free use is in engine/data.
}  // namespace heddle
