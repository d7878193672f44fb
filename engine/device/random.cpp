// SPDX-License-Identifier: Apache-2.0
#include "engine/device/random.h"

#include "engine/device/draw_words.h"
#include "engine/device/random_words.h"
#include "engine/device/torch_pch.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace heddle {
namespace {

constexpr std::int64_t kGrain = 1 << 15;  // minimum elements per thread: for fewer, starting a thread costs more than drawing

/// What is at countersAt, as a tensor [1] on the device.
at::Tensor countersOn(const at::Device& device, const RandomKey& key) {
    auto* const counters = const_cast<std::int64_t*>(key.countersAt);  // never written
    return at::for_blob(counters, {1}).options(at::TensorOptions(at::kLong).device(device)).target_device(device).make_tensor();
}

/// Stafford's mix 13: every input bit reaches every output bit, so that neighbouring seeds and streams get unrelated keys.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

}  // namespace

void forEachWords(const RandomKey& key, std::int64_t n, const UseWords& use) {
    const philox::Stream stream = streamOf(key);
    const std::int64_t runs = (n + philox::kWordsAtOnce - 1) / philox::kWordsAtOnce;
    at::parallel_for(0, runs, kGrain / philox::kWordsAtOnce, [&](std::int64_t begin, std::int64_t end) {
        std::uint32_t words[philox::kWordsAtOnce];
        for (std::int64_t run = begin; run < end; ++run) {
            const std::int64_t first = run * philox::kWordsAtOnce;
            philox::drawWords(stream, static_cast<std::uint64_t>(first) / 4, words);
            use(first, words, std::min<std::int64_t>(philox::kWordsAtOnce, n - first));
        }
    });
}

RandomKey randomKey(std::uint64_t seed, std::string_view stream, std::uint64_t step, std::uint32_t microStep) {
    std::uint64_t name = 0xCBF29CE484222325ull;  // FNV-1a, then mixed with the seed
    for (const char c : stream) name = (name ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return {mix(mix(seed + 0x9E3779B97F4A7C15ull) ^ name), step, microStep};
}

std::uint32_t randomBits(const RandomKey& key, std::uint64_t element) {
    return philox::draw(streamOf(key), element / 4)[element % 4];
}

at::Tensor randomWordsByOperators(const RandomKey& key, std::int64_t n, const at::Device& device) {
    constexpr std::int64_t kLow = 0xFFFFFFFF;
    // int64 products wrap as uint64 ones do; the shift is arithmetic, hence the masks.
    const philox::Stream stream = deviceStreamOf(key);
    const auto highOf = [](const at::Tensor& product) { return product.__rshift__(32).bitwise_and(kLow); };
    const at::Tensor block = at::arange((n + 3) / 4, at::TensorOptions(at::kLong).device(device));
    at::Tensor c0 = block.bitwise_and(kLow), c1 = highOf(block);
    at::Tensor c2 = at::full_like(block, static_cast<std::int64_t>(stream.word2));
    at::Tensor c3 = at::full_like(block, static_cast<std::int64_t>(stream.word3));
    if (key.countersAt) {
        const at::Tensor counters = countersOn(device, key);
        c2.copy_(counters.bitwise_and(kLow));
        c3.copy_(highOf(counters));
    }
    philox::Key k = stream.key;
    for (int round = 0; round < philox::kRounds; ++round, k = philox::nextKey(k)) {
        const at::Tensor p0 = c0 * static_cast<std::int64_t>(philox::kMultiplier0);
        const at::Tensor p1 = c2 * static_cast<std::int64_t>(philox::kMultiplier1);
        c0 = highOf(p1).bitwise_xor(c1).bitwise_xor(static_cast<std::int64_t>(k[0]));
        c1 = p1.bitwise_and(kLow);
        c2 = highOf(p0).bitwise_xor(c3).bitwise_xor(static_cast<std::int64_t>(k[1]));
        c3 = p0.bitwise_and(kLow);
    }
    return at::stack({c0, c1, c2, c3}, 1).reshape({-1}).narrow(0, 0, n);
}

std::vector<std::int64_t> packedKey(const RandomKey& key) {
    return {static_cast<std::int64_t>(key.key), static_cast<std::int64_t>(key.step), std::int64_t{key.microStep},
            std::bit_cast<std::int64_t>(key.countersAt)};
}

RandomKey unpackedKey(const std::vector<std::int64_t>& words) {
    return {static_cast<std::uint64_t>(words.at(0)), static_cast<std::uint64_t>(words.at(1)),
            static_cast<std::uint32_t>(words.at(2)), std::bit_cast<const std::int64_t*>(words.at(3))};
}

at::Tensor uniform(const RandomKey& key, at::IntArrayRef sizes, double low, double high) {
    at::Tensor values = at::empty(sizes, at::kDouble);
    double* const out = values.data_ptr<double>();
    forEachWords(key, values.numel(), [&](std::int64_t first, const std::uint32_t* words, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) out[first + i] = low + (high - low) * (words[i] * 0x1p-32);
    });
    return values;
}

at::Tensor normal(const RandomKey& key, at::IntArrayRef sizes, double mean, double deviation) {
    at::Tensor values = at::empty(sizes, at::kDouble);
    double* const out = values.data_ptr<double>();
    // Box–Muller on pairs of words; the half step keeps the logarithm's argument above zero.
    forEachWords(key, values.numel(), [&](std::int64_t first, const std::uint32_t* words, std::int64_t count) {
        for (std::int64_t i = 0; i < count; i += 2) {
            const double radius = deviation * std::sqrt(-2 * std::log((words[i] + 0.5) * 0x1p-32));
            const double angle = 2 * std::numbers::pi * (words[i + 1] * 0x1p-32);
            out[first + i] = mean + radius * std::cos(angle);
            if (i + 1 < count) out[first + i + 1] = mean + radius * std::sin(angle);
        }
    });
    return values;
}

}  // namespace heddle
