// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/rank_difference.h"

#include "tests/unit/engine/analysis/comparison_cases.h"

#include <limits>
#include <vector>

namespace heddle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

SeedValues rankedSeeds(const std::vector<double>& values) {
    SeedValues all;
    for (std::size_t i = 0; i < values.size(); ++i) all[i + 1] = values[i];
    return all;
}

TEST(ComparisonOracle, RankTestsAreThoseOfScipy) {
    for (const Json& one : comparisonCases().at("ranks")) {
        SCOPED_TRACE(one.dump());
        const auto found = rankDifference(rankedSeeds(one.at("variant")), rankedSeeds(one.at("baseline")), testOf(one));
        ASSERT_TRUE(found.p) << found.whyNone;
        EXPECT_TRUE(isNear(*found.p, one.at("p")));
        EXPECT_TRUE(isNear(*found.median, one.at("median")));
        EXPECT_GE(*found.p * (1 + 1e-12), found.least);
    }
}

TEST(RankDifference, FewSeedsCannotReachFivePerCent) {
    const auto pairs = rankDifference(rankedSeeds({1, 2, 3, 4, 5}), rankedSeeds({0, 0, 0, 0, 0}), SeedTest::Paired);
    EXPECT_EQ(*pairs.p, 0.0625);
    EXPECT_EQ(pairs.least, 0.0625);
    const auto apart = rankDifference(rankedSeeds({1, 2, 3}), rankedSeeds({4, 5, 6}), SeedTest::Welch);
    EXPECT_NEAR(*apart.p, 0.1, 1e-12) << "2 of 20 ways to choose 3 of 6";
    EXPECT_NEAR(apart.least, 0.1, 1e-12);
    EXPECT_EQ(*apart.median, -3);
}

TEST(RankDifference, ARunThatDivergedIsOneRank) {
    const SeedValues base = rankedSeeds({1.0, 1.1, 1.2, 1.3, 1.4, 1.5});
    const auto far = rankDifference(rankedSeeds({1.2, 1.4, 1.1, 1.0, 1.6, kInfinity}), base, SeedTest::Welch);
    const auto near = rankDifference(rankedSeeds({1.2, 1.4, 1.1, 1.0, 1.6, 1.7}), base, SeedTest::Welch);
    EXPECT_EQ(far.p, near.p);
    EXPECT_NEAR(*far.median, near.median.value(), 1e-12);
    EXPECT_TRUE(rankDifference(rankedSeeds({kInfinity, 2}), rankedSeeds({1, 1}), SeedTest::Paired).p);
}

TEST(RankDifference, WithoutATestItSaysWhy) {
    EXPECT_EQ(rankDifference(rankedSeeds({1, 2}), rankedSeeds({1, 2}), SeedTest::Paired).whyNone, "all pairs are equal");
    EXPECT_EQ(rankDifference(rankedSeeds({1, 2}), rankedSeeds({1, 3}), SeedTest::Paired).equal, 1U);
    EXPECT_EQ(rankDifference(rankedSeeds({1}), {{7, 1.0}}, SeedTest::Paired).whyNone, "no two runs have the same seed");
    EXPECT_EQ(rankDifference({}, rankedSeeds({1}), SeedTest::Welch).whyNone, "a variant has no runs");
    EXPECT_EQ(rankDifference(rankedSeeds({std::nan("")}), rankedSeeds({1}), SeedTest::Welch).whyNone,
              "the value of a run is not a number");
    const std::vector<double> many(60, 1.0);
    EXPECT_EQ(rankDifference(rankedSeeds(many), rankedSeeds(many), SeedTest::Welch).whyNone,
              "exact rank tests are limited to 100 runs");
}

}  // namespace
}  // namespace heddle
