// SPDX-License-Identifier: Apache-2.0
// Scorers that know positions, beyond the papers of the collection.
#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle {
namespace {

using testing_support::buildTiny;
using testing_support::distance;
using testing_support::ids;
using testing_support::logitsOf;
using verify::fillNormal;
using verify::normalTensor;
using verify::OneBlock;

constexpr std::int64_t kS = 7;

/// Scores of one vector repeated at every position: what is left is a function of the positions alone.
at::Tensor scoresOfOneWord(const std::string& id, std::int64_t heads = 2) {
    Dims dims;
    dims.d = 6;
    dims.heads = heads;
    dims.keyDim = 4;
    const auto scorer = OneBlock{"scorer", id, Json::object(), dims}.make<Scorer>(at::kDouble);
    fillNormal(scorer.store, 1, 3);
    const at::Tensor x = normalTensor({1, 1, 6}, 4).expand({1, kS, 6});
    return scorer->score(x, x, {})[0];
}

TEST(Scorers, RotaryScoresDependOnTheDistanceAlone) {
    const at::Tensor s_HQK = scoresOfOneWord("rotary");
    for (std::int64_t i = 1; i < kS; ++i)
        for (std::int64_t j = 1; j < kS; ++j)
            EXPECT_LT(distance(s_HQK.select(1, i).select(1, j), s_HQK.select(1, i - 1).select(1, j - 1)), 1e-13);
    EXPECT_GT(distance(s_HQK.select(1, 0).select(1, 0), s_HQK.select(1, 0).select(1, 3)), 1e-3);
}

TEST(Scorers, AlibiFallsWithTheDistanceAtEveryHeadsRate) {
    const at::Tensor s_HQK = scoresOfOneWord("alibi");
    for (std::int64_t h = 0; h < 2; ++h) {
        const double rate = std::pow(2.0, -8.0 * static_cast<double>(h + 1) / 2);
        for (std::int64_t j = 0; j < kS; ++j)
            EXPECT_NEAR((s_HQK[h][2][2] - s_HQK[h][2][j]).item<double>(), rate * static_cast<double>(std::abs(j - 2)), 1e-13);
    }
}

/// The slopes that the authors' code prints for 6 and 12 heads, as powers of two.
TEST(Scorers, AlibiTakesEveryOtherSlopeOfMoreHeadsWhereTheirNumberIsNoPowerOfTwo) {
    const std::map<std::int64_t, std::vector<double>> published{
        {3, {-4, -8, -2}}, {6, {-2, -4, -6, -8, -1, -3}}, {12, {-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5}}};
    for (const auto& [heads, exponents] : published) {
        const at::Tensor s_HQK = scoresOfOneWord("alibi", heads);
        for (std::int64_t h = 0; h < heads; ++h)
            EXPECT_NEAR((s_HQK[h][1][1] - s_HQK[h][1][0]).item<double>(), std::pow(2.0, exponents[static_cast<std::size_t>(h)]),
                        1e-13)
                << heads << " heads, head " << h;
    }
}

class PositionalScorer : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scorers, PositionalScorer, ::testing::Values("rotary", "alibi"));

TEST_P(PositionalScorer, FusedPathEqualsTheReferenceAndStaysCausal) {
    const auto model = buildTiny(
        {{"position", "none"},
         {"defaults", {{"scorer", GetParam()}}},
         {"decoder",
          {{"sublayers", {Json{{"name", "self"}}, Json{{"name", "cross"}, {"scorer", "dot"}}, Json{{"name", "ffn"}}}}}}});
    const at::Tensor source = ids({4, 5, 6, 3, 1}), target = ids({2, 7, 8, 9});
    const Forward reference{.path = Forward::Path::Reference};
    const at::Tensor y = logitsOf(*model, source, target);
    EXPECT_LT(distance(y, logitsOf(*model, source, target, reference)), 1e-12);
    const at::Tensor changed = logitsOf(*model, source, ids({2, 7, 8, 10}));
    EXPECT_EQ(distance(y.narrow(1, 0, 3), changed.narrow(1, 0, 3)), 0);
    EXPECT_GT(distance(y, logitsOf(*model, ids({5, 4, 6, 3, 1}), target)), 1e-6) << "order is seen without position";
}

Json grouped(std::int64_t groups) {
    return {{"scorer", {{"kind", "grouped"}, {"groups", groups}}}, {"value", {{"kind", "grouped"}, {"groups", groups}}}};
}

// Ainslie et al. 2023, section 2.1: a model whose heads have equal keys and values is the grouped one.
TEST(GroupedQueries, AreHeadsWithEqualKeysAndValues) {
    const auto shared = buildTiny({{"defaults", grouped(2)}}), full = buildTiny();
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : full->parameters().entries()) {
        at::Tensor own = tensor, given = shared->parameters().find(path);
        ASSERT_TRUE(given.defined()) << path;
        const bool isRepeated = given.size(0) != own.size(0);
        constexpr std::int64_t kWidth = 4;  // of a head; 2 heads a group
        if (isRepeated) given = given.unflatten(0, {2, kWidth}).repeat_interleave(2, 0).flatten(0, 1);
        own.copy_(given);
    }
    const at::Tensor source = ids({4, 5, 6, 3, 1}), target = ids({2, 7, 8, 9});
    const Forward reference{.path = Forward::Path::Reference};
    const at::Tensor y = logitsOf(*shared, source, target);
    EXPECT_LT(distance(y, logitsOf(*full, source, target)), 1e-12);
    EXPECT_LT(distance(y, logitsOf(*shared, source, target, reference)), 1e-12);
}

TEST(GroupedQueries, OfAsManyGroupsAsHeadsAreThePlainProduct) {
    const at::Tensor source = ids({4, 5, 6, 3, 1}), target = ids({2, 7, 8, 9});
    const auto grouping = buildTiny({{"defaults", grouped(4)}}), plain = buildTiny();
    EXPECT_EQ(distance(logitsOf(*grouping, source, target), logitsOf(*plain, source, target)), 0);
}

TEST(GroupedQueries, MustDivideTheHeads) {
    std::vector<Problem> problems;
    VariantSpec::parse(testing_support::tinyVariant({{"defaults", grouped(3)}}), builtinCatalogue(), problems);
    ASSERT_FALSE(problems.empty());
    EXPECT_NE(problems.front().what.find("3 groups do not divide 4 heads"), std::string::npos);
}

}  // namespace
}  // namespace heddle
