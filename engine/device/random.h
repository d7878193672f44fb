// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle {

/// Stateless randomness (design section 4): Philox4x32-10 with key (seed, stream name) and counter (step, micro-step,
/// element). The same bits on CPU and CUDA, whatever the thread count; no default generator is used anywhere.
/// Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
struct RandomKey {
    std::uint64_t key = 0;  ///< from seed and stream name
    std::uint64_t step = 0;
    std::uint32_t microStep = 0;
    /// Address of step + 2³² · microStep on the tensors' device, read when drawing; null: the two above.
    const std::int64_t* countersAt = nullptr;
};

RandomKey randomKey(std::uint64_t seed, std::string_view stream, std::uint64_t step = 0, std::uint32_t microStep = 0);

/// 32 random bits for one element. All vectorised paths must equal this definition.
std::uint32_t randomBits(const RandomKey& key, std::uint64_t element);

/// The words of elements 0 … n-1 as int64 [n] on any device, with ATen operators only: the path of devices without a kernel.
/// Equal to randomBits bit for bit.
at::Tensor randomWordsByOperators(const RandomKey& key, std::int64_t n, const at::Device& device);

/// A key in the form that autograd can save for backward.
std::vector<std::int64_t> packedKey(const RandomKey& key);
RandomKey unpackedKey(const std::vector<std::int64_t>& words);

/// Uniform in [low, high) / standard normal (Box–Muller), float64 on the CPU: for initialisation.
at::Tensor uniform(const RandomKey& key, at::IntArrayRef sizes, double low, double high);
at::Tensor normal(const RandomKey& key, at::IntArrayRef sizes, double mean, double deviation);
}  // namespace heddle
