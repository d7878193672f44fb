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
    const std::int64_t* stepAt =
        nullptr;  ///< where the step lies on the tensors' device, to be read when it is used; null: `step`
};

RandomKey randomKey(std::uint64_t seed, std::string_view stream, std::uint64_t step = 0, std::uint32_t microStep = 0);

/// 32 random bits for one element; the definition that every vectorised path must equal.
std::uint32_t randomBits(const RandomKey& key, std::uint64_t element);

/// Tensor of `sizes` with the options' device and type: 0 with probability p, else 1/(1-p). Element order is row-major.
at::Tensor dropoutMask(const RandomKey& key, double p, at::IntArrayRef sizes, const at::TensorOptions& options);

/// x ⊙ dropoutMask(key, p, …), differentiable; p in [0,1). On the CPU the mask is never stored: it is drawn while multiplying,
/// and drawn again in the backward pass.
at::Tensor dropout(const RandomKey& key, double p, const at::Tensor& x);

/// The words of elements 0 … n-1 as int64 [n] on any device, by ATen operators alone: the reference for devices without a
/// kernel of their own, equal to randomBits bit for bit.
at::Tensor randomWordsByOperators(const RandomKey& key, std::int64_t n, const at::Device& device);

/// Uniform in [low, high) / standard normal (Box–Muller), float64 on the CPU: for initialisation.
at::Tensor uniform(const RandomKey& key, at::IntArrayRef sizes, double low, double high);
at::Tensor normal(const RandomKey& key, at::IntArrayRef sizes, double mean, double deviation);
}  // namespace heddle
