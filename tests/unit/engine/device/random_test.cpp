// SPDX-License-Identifier: Apache-2.0
#include "engine/device/random.h"
#include "engine/kernels/dropout.h"

#include "engine/base/error.h"
#include "engine/base/philox.h"
#include "engine/device/draw_words.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/thread_counts.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

/// Known answers of the Random123 distribution (tests/kat_vectors, philox4x32 10).
TEST(Philox, EqualsKnownAnswers) {
    using philox::Block;
    EXPECT_EQ(philox::draw({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox::draw({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox::draw({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, VectorisedWordsEqualTheDefinition) {
    const philox::Stream stream{{0x12345678, 0x9abcdef0}, 17, 3};
    for (const std::uint64_t first :
         {std::uint64_t{0}, std::uint64_t{5}, (std::uint64_t{1} << 32) - 7, std::uint64_t{1} << 40}) {
        std::uint32_t words[philox::kWordsAtOnce];
        philox::drawWords(stream, first, words);
        for (std::uint64_t i = 0; i < philox::kWordsAtOnce; ++i) {
            const std::uint64_t block = first + i / 4;
            const philox::Block drawn = philox::draw(
                {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), stream.word2, stream.word3},
                stream.key);
            ASSERT_EQ(words[i], drawn[i % 4]) << "first " << first << " word " << i;
        }
    }
}

TEST(RandomKey, DiffersBySeedAndStreamOnly) {
    std::set<std::uint64_t> keys;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        for (const char* stream : {"", "a", "b", "ab", "ba", "encoder.layers.0.self.dropout.sublayer"}) {
            keys.insert(randomKey(seed, stream).key);
        }
    }
    EXPECT_EQ(keys.size(), 300u);
    EXPECT_EQ(randomKey(1, "a", 5, 2).key, randomKey(1, "a").key);
    const auto first = [](std::uint64_t step, std::uint32_t micro) { return randomBits(randomKey(1, "a", step, micro), 0); };
    EXPECT_EQ((std::set{first(0, 0), first(1, 0), first(0, 1), first(1, 1)}).size(), 4u);
}

/// The definition: element by element from randomBits.
at::Tensor maskByDefinition(const RandomKey& key, double p, std::int64_t n, at::ScalarType type) {
    at::Tensor mask = at::empty({n}, at::kDouble);
    for (std::int64_t i = 0; i < n; ++i) {
        const bool drop = randomBits(key, static_cast<std::uint64_t>(i)) < static_cast<std::uint32_t>(p * 0x1p32);
        mask.data_ptr<double>()[i] = drop ? 0 : 1 / (1 - p);
    }
    return mask.to(type);
}

TEST(DropoutMask, EqualsTheScalarDefinition) {
    const RandomKey key = randomKey(7, "stream", 12, 1);
    for (const double p : {0.0, 0.1, 0.5, 0.9}) {
        for (const std::int64_t n : {1, 3, 4, 127, 128, 129, 1000}) {
            for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
                EXPECT_TRUE(at::equal(dropoutMask(key, p, {n}, type), maskByDefinition(key, p, n, type))) << p << " " << n;
            }
        }
    }
}

TEST(DropoutMask, IsTheSameWhateverTheThreadCount) {
    const auto drawn = [] { return dropoutMask(randomKey(3, "threads"), 0.3, {400, 1000}, at::kFloat); };
    testing_support::expectTheSameByAnyThreads([&] { return std::vector<at::Tensor>{drawn()}; });
    EXPECT_NEAR(drawn().eq(0).to(at::kDouble).mean().item<double>(), 0.3, 0.005);
}

/// bfloat16 takes the path that other devices take; so does a tensor on them.
TEST(DropoutMask, OtherTypesDropTheSameElements) {
    const RandomKey key = randomKey(3, "bf16");
    const at::Tensor wide = dropoutMask(key, 0.25, {33, 5}, at::kFloat),
                     narrow = dropoutMask(key, 0.25, {33, 5}, at::kBFloat16);
    EXPECT_TRUE(at::equal(wide.eq(0), narrow.eq(0)));
}

TEST(DropoutWords, OperatorPathGivesTheSameBits) {
    const RandomKey key = randomKey(0xdeadbeefcafe, "operators", 4000000000u, 7);
    const at::Tensor words = randomWordsByOperators(key, 1001, at::kCPU);
    for (std::int64_t i = 0; i < words.numel(); ++i) {
        ASSERT_EQ(words[i].item<std::int64_t>(), static_cast<std::int64_t>(randomBits(key, static_cast<std::uint64_t>(i))))
            << i;
    }
}

TEST(Dropout, GradientPassesTheSameMask) {
    const RandomKey key = randomKey(11, "gradient", 2);
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16}) {
        const at::Tensor x = at::linspace(-1, 1, 300, at::kFloat).reshape({3, 100}).to(type).set_requires_grad(true);
        const at::Tensor y = dropout(key, 0.4, x);
        const at::Tensor mask = dropoutMask(key, 0.4, {3, 100}, type);
        EXPECT_TRUE(at::allclose(y, x * mask, 1e-2, 0));
        EXPECT_TRUE(at::equal(y.ne(0), mask.ne(0).logical_and(x.ne(0))));
        y.backward(at::ones_like(y));
        EXPECT_TRUE(at::equal(x.grad(), mask));
    }
}

TEST(Dropout, TransposedInputKeepsRowMajorOrder) {
    const RandomKey key = randomKey(11, "layout");
    const at::Tensor x = at::arange(63, at::kFloat).add(1).view({7, 9}).t();
    EXPECT_TRUE(at::equal(dropout(key, 0.5, x), dropout(key, 0.5, x.contiguous())));
}

TEST(Dropout, RefusesImpossibleProbabilities) {
    EXPECT_THROW(dropoutMask(randomKey(1, ""), 1.0, {2}, at::kFloat), Error);
    EXPECT_THROW(dropoutMask(randomKey(1, ""), -0.1, {2}, at::kFloat), Error);
}

TEST(Uniform, HasRangeAndMoments) {
    const at::Tensor u = uniform(randomKey(5, "u"), {100, 1001}, -2, 4);
    EXPECT_GE(u.min().item<double>(), -2);
    EXPECT_LT(u.max().item<double>(), 4);
    EXPECT_NEAR(u.mean().item<double>(), 1, 0.03);
    EXPECT_NEAR(u.var().item<double>(), 3, 0.05);
}

TEST(Normal, HasMomentsAndNoNeighbourCorrelation) {
    const at::Tensor z = normal(randomKey(5, "z"), {100001}, 1, 2);
    EXPECT_NEAR(z.mean().item<double>(), 1, 0.03);
    EXPECT_NEAR(z.std().item<double>(), 2, 0.03);
    const at::Tensor centred = z - z.mean();
    const double correlation = (centred.narrow(0, 0, 100000) * centred.narrow(0, 1, 100000)).mean().item<double>() / 4;
    EXPECT_NEAR(correlation, 0, 0.02);
}

}  // namespace
}  // namespace heddle
