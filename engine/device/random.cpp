// SPDX-License-Identifier: Apache-2.0
// Layout of one draw, fixed for ever because recorded runs depend on it:
//   key     = the two halves of a 64-bit hash of (seed, stream name)
//   counter = (element / 4 low, element / 4 high, step, micro-step), 32 bits each
//   element e takes word e % 4 of its block
#include "engine/device/random.h"

#include "engine/device/cuda_kernels.h"
#include "engine/device/drop.h"
#include "engine/device/philox.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/error.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <bit>
#include <numbers>
#include <type_traits>

namespace heddle {

namespace {

constexpr std::int64_t kGrain = 1 << 15;  // elements a thread takes at least: below, starting a thread costs more than drawing

/// Without what only the device knows: the step at stepAt.
philox::Stream deviceStreamOf(const RandomKey& key) {
    return {{static_cast<std::uint32_t>(key.key), static_cast<std::uint32_t>(key.key >> 32)},
            static_cast<std::uint32_t>(key.step),
            key.microStep};
}

/// For the CPU.
philox::Stream streamOf(const RandomKey& key) {
    philox::Stream stream = deviceStreamOf(key);
    if (key.stepAt) stream.word2 = static_cast<std::uint32_t>(*key.stepAt);
    return stream;
}

/// Calls `use(first, words, count)` for consecutive runs of at most kWordsAtOnce elements of [0, n), on several threads.
template <class Use>
void forEachWords(const RandomKey& key, std::int64_t n, const Use& use) {
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

/// What dropout does to a word: below the threshold the element becomes 0, else it is multiplied by the scale.
struct DropRule {
    std::uint32_t threshold;
    double scale;
};

DropRule dropRule(double p) {
    if (!(p >= 0 && p < 1)) {
        throwInvalid("dropout probability " + std::to_string(p) + " is not in [0, 1)", "dropout",
                     "choose a probability of at least 0 and below 1");
    }
    return {static_cast<std::uint32_t>(p * 0x1p32), 1.0 / (1.0 - p)};
}

/// The product keeps its bits or loses them all: an AND instead of a branch, which would be mispredicted for every dropped
/// element (3 times slower).
template <class T>
void multiplyByMask(const RandomKey& key, const DropRule& rule, const at::Tensor& x, at::Tensor& y) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T* const in = x.const_data_ptr<T>();
    T* const out = y.data_ptr<T>();
    const T scale = static_cast<T>(rule.scale);
    const std::uint32_t threshold = rule.threshold;
    forEachWords(key, x.numel(), [=](std::int64_t first, const std::uint32_t* words, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            const Bits keep = Bits{0} - Bits{words[i] >= threshold};
            out[first + i] = std::bit_cast<T>(std::bit_cast<Bits>(in[first + i] * scale) & keep);
        }
    });
}

/// The mask as 0 and 1, in x's own type so that reduced types keep the exact scale for one multiplication at the end.
at::Tensor keepMask(const RandomKey& key, const DropRule& rule, const at::Tensor& x) {
    if (!x.device().is_cpu()) {
        const at::Tensor words = randomWordsByOperators(key, x.numel(), x.device());
        return words.ge(static_cast<std::int64_t>(rule.threshold)).reshape(x.sizes()).to(x.scalar_type());
    }
    at::Tensor keep = at::ones(x.sizes(), at::TensorOptions(at::kFloat));
    multiplyByMask<float>(key, {rule.threshold, 1.0}, keep, keep);
    return keep.to(x.scalar_type());
}

cuda::Drop cudaDrop(const RandomKey& key, const DropRule& rule) {
    return {deviceStreamOf(key), key.stepAt, rule.threshold, static_cast<float>(rule.scale)};
}

/// x is contiguous.
at::Tensor applyDropout(const RandomKey& key, const DropRule& rule, const at::Tensor& x) {
    if (x.device().is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble)) {
        at::Tensor y = at::empty_like(x);
        if (x.scalar_type() == at::kFloat) {
            multiplyByMask<float>(key, rule, x, y);
        } else {
            multiplyByMask<double>(key, rule, x, y);
        }
        return y;
    }
    if (const CudaKernels* const kernels = kernelsFor({x})) {
        at::Tensor y = at::empty_like(x);
        kernels->dropout({x.const_data_ptr(), y.data_ptr(), x.numel(), elementTypeOf(x), cudaDrop(key, rule), false},
                         x.get_device());
        return y;
    }
    return x * keepMask(key, rule, x) * rule.scale;
}

class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const RandomKey& key, double p) {
        context->saved_data["key"] = packedKey(key);
        context->saved_data["p"] = p;
        return applyDropout(key, dropRule(p), x.contiguous());
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const RandomKey key = unpackedKey(context->saved_data["key"].toIntVector());
        const DropRule rule = dropRule(context->saved_data["p"].toDouble());
        return {applyDropout(key, rule, gradients[0].contiguous()), at::Tensor(), at::Tensor()};
    }
};

/// The step as the device will find it.
at::Tensor stepOn(const at::Device& device, const RandomKey& key) {
    auto* const step = const_cast<std::int64_t*>(key.stepAt);  // only read
    return at::for_blob(step, {1}).options(at::TensorOptions(at::kLong).device(device)).target_device(device).make_tensor();
}

/// Stafford's mix 13: every input bit reaches every output bit, so that neighbouring seeds and streams get unrelated keys.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

}  // namespace

RandomKey randomKey(std::uint64_t seed, std::string_view stream, std::uint64_t step, std::uint32_t microStep) {
    std::uint64_t name = 0xCBF29CE484222325ull;  // FNV-1a, then mixed with the seed
    for (const char c : stream) name = (name ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return {mix(mix(seed + 0x9E3779B97F4A7C15ull) ^ name), step, microStep};
}

std::uint32_t randomBits(const RandomKey& key, std::uint64_t element) {
    const philox::Stream stream = streamOf(key);
    const std::uint64_t block = element / 4;
    return philox::draw(
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), stream.word2, stream.word3},
        stream.key)[element % 4];
}

at::Tensor randomWordsByOperators(const RandomKey& key, std::int64_t n, const at::Device& device) {
    constexpr std::int64_t kLow = 0xFFFFFFFF;
    // int64 products wrap as uint64 ones do; the shift is arithmetic, hence the masks.
    const philox::Stream stream = deviceStreamOf(key);
    const auto highOf = [](const at::Tensor& product) { return product.__rshift__(32).bitwise_and(kLow); };
    const at::Tensor block = at::arange((n + 3) / 4, at::TensorOptions(at::kLong).device(device));
    at::Tensor c0 = block.bitwise_and(kLow), c1 = highOf(block);
    at::Tensor c2 = at::full_like(block, static_cast<std::int64_t>(stream.word2));
    if (key.stepAt) c2.copy_(stepOn(device, key).bitwise_and(kLow));
    at::Tensor c3 = at::full_like(block, static_cast<std::int64_t>(stream.word3));
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

at::Tensor dropoutMask(const RandomKey& key, double p, at::IntArrayRef sizes, const at::TensorOptions& options) {
    return applyDropout(key, dropRule(p), at::ones(sizes, options));
}

rows::Drop dropOf(const RandomKey& key, double p) {
    const DropRule rule = dropRule(p);
    return {streamOf(key), rule.threshold, static_cast<float>(rule.scale)};
}

cuda::Drop cudaDropOf(const RandomKey& key, double p) { return cudaDrop(key, dropRule(p)); }

std::vector<std::int64_t> packedKey(const RandomKey& key) {
    return {static_cast<std::int64_t>(key.key), static_cast<std::int64_t>(key.step), std::int64_t{key.microStep},
            std::bit_cast<std::int64_t>(key.stepAt)};
}

RandomKey unpackedKey(const std::vector<std::int64_t>& words) {
    return {static_cast<std::uint64_t>(words.at(0)), static_cast<std::uint64_t>(words.at(1)),
            static_cast<std::uint32_t>(words.at(2)), std::bit_cast<const std::int64_t*>(words.at(3))};
}

at::Tensor dropout(const RandomKey& key, double p, const at::Tensor& x) { return DropoutFunction::apply(x, key, p); }

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
    // Box–Muller on pairs of words; the half step keeps the logarithm's argument off zero.
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
