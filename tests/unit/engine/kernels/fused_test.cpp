// SPDX-License-Identifier: Apache-2.0
// Fused paths against their readable equivalents in float64: values, gradients, and which elements dropout keeps.
#include "engine/kernels/fused.h"

#include "engine/base/error.h"
#include "engine/blocks/block_file.h"
#include "engine/device/host_memory.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/dropout.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"
#include "tests/unit/engine/thread_counts.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnFloats;
using testing_support::ids;
using testing_support::leaf;
using testing_support::relative;

constexpr double kTolerance = 1e-5;  // float32 against float64

TEST(Fused, ReluDropoutIsReluAndDropoutBitForBit) {
    const RandomKey key = randomKey(1, "ffn.inner", 7, 2);
    for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{3, 5, 48}, {700, 1024}}) {
        const at::Tensor x = drawnFloats(3, "x", sizes), above = drawnFloats(3, "dy", sizes);
        const at::Tensor a = leaf(x, at::kFloat), b = leaf(x, at::kFloat);
        const at::Tensor y = reluDropout(key, 0.1, a), expected = dropout(key, 0.1, at::relu(b));
        EXPECT_TRUE(at::equal(y, expected));
        y.backward(above), expected.backward(above);
        EXPECT_TRUE(at::equal(a.grad(), b.grad()));
    }
}

TEST(Fused, ReluDropoutTakesAnyWidthTypeAndLayout) {
    const RandomKey key = randomKey(1, "ffn.inner");
    const at::Tensor odd = drawnFloats(3, "x", {4, 13}), wide = drawnFloats(3, "x", {4, 32}).to(at::kDouble),
                     turned = drawnFloats(3, "x", {32, 16}).t();
    for (const at::Tensor& x : {odd, wide, turned})
        EXPECT_TRUE(at::equal(reluDropout(key, 0.3, x), dropout(key, 0.3, at::relu(x))));
}

TEST(Fused, ReluDropoutDoesNotDependOnTheNumberOfThreads) {
    testing_support::expectTheSameByAnyThreads([] {
        const at::Tensor x = leaf(drawnFloats(3, "x", {1100, 256}), at::kFloat),
                         y = reluDropout(randomKey(1, "ffn.inner"), 0.1, x);
        y.backward(drawnFloats(3, "dy", {1100, 256}));
        return std::vector<at::Tensor>{y.detach(), x.grad()};
    });
}

/// Observes gates and changes nothing.
class GateReader final : public Taps {
public:
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        if (wants(module, exposure)) {
            ++seen;
            lowest = std::min(lowest, value.min().item<double>()), highest = std::max(highest, value.max().item<double>());
        }
        return value;
    }
    bool wants(const std::string& module, const char* exposure) const override {
        return module.ends_with("residual") && std::string(exposure) == tap::kGate;
    }
    int seen = 0;
    double lowest = 1, highest = 0;
};

struct Trained {
    at::Tensor logits;
    std::vector<at::Tensor> gradients;
};

Trained oneStep(const Json& over, at::ScalarType type, Forward f) {
    const auto model = testing_support::buildTiny(over, type);
    f.training = true, f.seed = 4, f.step = 9;
    const at::Tensor z = testing_support::logitsOf(*model, ids({5, 6, 7, 8, 9, 3}), ids({2, 5, 6, 7}), f);
    z.backward(at::linspace(-1, 1, z.numel(), at::TensorOptions(at::kDouble)).view(z.sizes()).to(type));
    Trained made{z.detach(), {}};
    for (const auto& [path, tensor] : model->parameters().entries()) made.gradients.push_back(tensor.grad());
    return made;
}

const Json kFusible{{"dims", {{"f", 32}}},
                    {"defaults", {{"dropout", {{"sublayer", 0.3}}}, {"ffn", {{"inner_dropout", 0.2}}}, {"norm", "layernorm"}}}};

Json fusibleWith(const Json& residual, const Json& adjuster = "none") {
    Json document = kFusible;
    document["defaults"]["residual"] = residual;
    document["defaults"]["adjuster"] = adjuster;
    return document;
}

/// A step in float32 by the fused paths and one in float64 by the readable ones give the same logits and gradients.
void expectItsReference(const Json& over) {
    SCOPED_TRACE(over.dump());
    const Forward reference{.path = Forward::Path::Reference};
    const Trained fused = oneStep(over, at::kFloat, {}), expected = oneStep(over, at::kDouble, reference);
    EXPECT_LT(relative(fused.logits, expected.logits), kTolerance);
    for (std::size_t i = 0; i < fused.gradients.size(); ++i) {
        if (expected.gradients[i].norm().item<double>() < 1e-9) continue;  // a key's bias: softmax does not see it
        EXPECT_LT(relative(fused.gradients[i], expected.gradients[i]), 2 * kTolerance) << i;
    }
}

TEST(Fused, AModelIsItsReferenceInFloat64) {
    for (const Json& over : {fusibleWith("add"), fusibleWith("grc"), fusibleWith("grc", "eau"),
                             fusibleWith({{"kind", "grc"}, {"gate_input", "concat"}})})
        expectItsReference(over);
}

TEST(Fused, AttentionDropoutDropsTheSameWeights) {
    for (const Json& score : {Json("none"), Json{{"rule", "add"}, {"source", "accumulated"}}}) {
        Json over = fusibleWith("add");
        over["defaults"]["score"] = score;
        over["defaults"]["dropout"]["attention"] = 0.3;
        expectItsReference(over);
    }
}

TEST(Fused, WatchingAGateChangesNoBit) {
    GateReader reader;
    const Forward watched{.taps = &reader};
    const Trained plain = oneStep(fusibleWith("grc"), at::kFloat, {}), seen = oneStep(fusibleWith("grc"), at::kFloat, watched);
    EXPECT_EQ(reader.seen, 10);  // every sublayer of 2 + 2 layers
    EXPECT_GT(reader.lowest, 0);
    EXPECT_LT(reader.highest, 1);
    EXPECT_TRUE(at::equal(plain.logits, seen.logits));
    for (std::size_t i = 0; i < plain.gradients.size(); ++i) EXPECT_TRUE(at::equal(plain.gradients[i], seen.gradients[i])) << i;
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(HostMemory, WhatIsFreedIsUsedAgainAndCanBeGivenBack) {
    useCachingHostAllocator();
    releaseCachedHostMemory();                // what tests before this one left
    constexpr std::int64_t kCount = 3 << 20;  // 12 MiB
    void* first = nullptr;
    {
        const at::Tensor a = at::empty({kCount});
        first = a.data_ptr();
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % (2 << 20), 0U);
        const at::Tensor beside = at::empty({kCount});
        EXPECT_NE(beside.data_ptr(), first);
    }
    const std::size_t kept = cachedHostBytes();
    EXPECT_GE(kept, std::size_t{2} * kCount * sizeof(float));
    const at::Tensor again = at::empty({kCount - 1000});  // of the same class
    EXPECT_LT(cachedHostBytes(), kept);
    releaseCachedHostMemory();
    EXPECT_EQ(cachedHostBytes(), 0U);
    EXPECT_EQ(at::ones({kCount}).sum().item<double>(), kCount);  // and all goes on
}

TEST(HostMemory, ABlockServesSizesFromTwoThirdsOfItsOwnOn) {
    useCachingHostAllocator();
    releaseCachedHostMemory();
    constexpr std::int64_t kCount = 3 << 20;
    const void* const first = at::empty({kCount}).data_ptr();
    EXPECT_EQ(at::empty({kCount * 2 / 3}).data_ptr(), first);
    EXPECT_EQ(at::empty({kCount}).data_ptr(), first) << "it is still as large as it was";
    const at::Tensor small = at::empty({kCount / 2});
    EXPECT_NE(small.data_ptr(), first) << "most of it would lie idle";
}

TEST(HostMemory, WhatWasFreedLongestAgoGoesFirst) {
    useCachingHostAllocator();
    releaseCachedHostMemory();
    constexpr std::int64_t kMiB = 1 << 18;  // elements
    for (const std::int64_t size : {12, 30}) at::empty({size * kMiB});
    EXPECT_EQ(cachedHostBytes(), std::size_t{42} << 20) << "no more than the peak and half of it";
    at::empty({60 * kMiB});
    EXPECT_EQ(cachedHostBytes(), std::size_t{90} << 20) << "without those 12 MiB";
    releaseCachedHostMemory();
}

TEST(HostMemory, TooMuchIsAnErrorThatSaysSo) {
    useCachingHostAllocator();
    EXPECT_THAT([] { at::empty({std::int64_t{1} << 50}); },
                testing::ThrowsMessage<c10::Error>(testing::HasSubstr("not enough memory")));
}
#endif

}  // namespace
}  // namespace heddle
