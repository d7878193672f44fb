// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/match.h"

#include "engine/base/error.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const Json kDims{{"d", 128}, {"f", 512}, {"layers_enc", 2}, {"layers_dec", 2}, {"vocab_src", 5893}, {"vocab_tgt", 7853}};

Json family(const std::string& preset) { return {{"preset", preset}, {"dims", kDims}}; }

double parametersOf(const Json& document) {
    return budgetOf(VariantSpec::parse(document, builtinCatalogue()), Budget::Parameters);
}

TEST(Match, AWiderBaselineCostsAsMuchAsTheGatedVariant) {
    const double target = parametersOf(family("eau-full"));
    const Match match = matchBudget({family("eau-base"), target, Budget::Parameters, {"f"}});
    EXPECT_EQ(match.budget, parametersOf(match.variant)) << "the document found is what was counted";
    EXPECT_EQ(match.difference, match.budget - target);
    // One unit of f costs 2d+1 in each of the four feed-forward networks: the best f is within half of that.
    EXPECT_LE(std::abs(match.difference), 4 * (2 * 128 + 1) / 2.0);
    EXPECT_EQ(match.variant["dims"]["d"], 128) << "only f was free";
}

TEST(Match, WhatIsTooFarOffIsNoMatch) {
    const double target = parametersOf(family("eau-base"));
    const Match near = matchBudget({family("eau-full"), target, Budget::Parameters, {"f"}});
    EXPECT_TRUE(near.isWithin(kMatchTolerance));
    EXPECT_EQ(near.target(), target);
    const Match far = matchBudget({family("eau-full"), 0.7 * target, Budget::Parameters, {"f"}});
    EXPECT_EQ(far.variant["dims"]["f"], 1) << "it can be no smaller";
    EXPECT_FALSE(far.isWithin(kMatchTolerance)) << far.difference;
    EXPECT_TRUE(matchBudget({family("eau-full"), 0.7 * target, Budget::Parameters, {"f", "d"}}).isWithin(kMatchTolerance));
}

TEST(Match, MoreFreeSizesComeNearer) {
    const double target = parametersOf(family("eau-full"));
    const Match one = matchBudget({family("eau-base"), target, Budget::Parameters, {"f"}});
    const Match all = matchBudget({family("eau-base"), target, Budget::Parameters, {"f", "d", "layers"}});
    EXPECT_LE(std::abs(all.difference), std::abs(one.difference));
}

TEST(Match, OfItselfNothingChanges) {
    const Match match =
        matchBudget({family("eau-base"), parametersOf(family("eau-base")), Budget::Parameters, {"f", "d", "layers"}});
    EXPECT_EQ(match.difference, 0);
    EXPECT_EQ(VariantSpec::parse(match.variant, builtinCatalogue()).hash(),
              VariantSpec::parse(family("eau-base"), builtinCatalogue()).hash());
}

TEST(Match, FlopsToo) {
    const double target = budgetOf(VariantSpec::parse(family("eau-full"), builtinCatalogue()), Budget::FlopsPerToken);
    const Match match = matchBudget({family("eau-base"), target, Budget::FlopsPerToken, {"f"}});
    EXPECT_LE(std::abs(match.difference) / target, 0.001);
}

TEST(Match, SaysWhenNothingCanChange) {
    Json noFeedForward = family("eau-base");
    noFeedForward["encoder"]["sublayers"] = {{{"name", "self"}}};
    noFeedForward["decoder"]["sublayers"] = {{{"name", "self"}}, {{"name", "cross"}}};
    EXPECT_THROW(matchBudget({noFeedForward, 1e6, Budget::Parameters, {"f"}}), Error);
    EXPECT_THROW(matchBudget({family("eau-base"), 1e6, Budget::Parameters, {"heads"}}), Error);
}

}  // namespace
}  // namespace heddle
