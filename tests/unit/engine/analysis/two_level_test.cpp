// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/two_level.h"

#include "tests/unit/engine/analysis/comparison_cases.h"

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {
namespace {

SeedItems seeds(const std::vector<ItemTerms>& runs) {
    SeedItems all;
    for (std::size_t i = 0; i < runs.size(); ++i) all[i + 1] = runs[i];
    return all;
}

/// F1 of {right, predicted, wanted}, whose score is no sum of its items'.
ItemMetric f1Metric() {
    return {3, [](const std::vector<double>& sums) { return 2 * sums[0] / (sums[1] + sums[2]); }};
}

TEST(ComparisonOracle, TwoLevelIntervalsAreThoseOfTheAnalysisOfVariance) {
    for (const Json& one : comparisonCases().at("two_levels")) {
        SCOPED_TRACE(one.at("metric").dump() + one.at("test").dump());
        const auto found = twoLevelDifference(one.at("metric") == "ratio" ? ratioMetric() : f1Metric(),
                                              seeds(one.at("variant")), seeds(one.at("baseline")), testOf(one), 0.05);
        ASSERT_TRUE(found.interval) << found.whyNone;
        EXPECT_TRUE(isNear(found.difference, one.at("difference")));
        EXPECT_TRUE(isNear(found.error, one.at("error")));
        EXPECT_TRUE(isNear(found.seedError, one.at("seed_error")));
        EXPECT_TRUE(isNear(found.itemError, one.at("item_error")));
        EXPECT_TRUE(isNear(found.freedom, one.at("freedom")));
        EXPECT_TRUE(isNear(*found.p, one.at("p")));
        EXPECT_TRUE(isNear(found.interval->low, one.at("low")));
        EXPECT_TRUE(isNear(found.interval->high, one.at("high")));
    }
}

/// The answers of a run to items of unequal difficulty; `seed`: what the run's seed adds to all of them.
ItemTerms answers(const std::vector<double>& hard, double seed, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    ItemTerms terms;
    for (const double item : hard) terms.insert(terms.end(), {item + seed + normal(random) > 0 ? 1.0 : 0.0, 1});
    return terms;
}

/// Share of the intervals that hold the true difference, 0. `ofSeeds`: how much seeds scatter.
double coverage(std::size_t pairs, double ofSeeds, int sets) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    int held = 0;
    for (int set = 0; set < sets; ++set) {
        std::vector<double> hard(200);
        for (double& item : hard) item = normal(random);
        SeedItems a, b;
        for (std::uint64_t seed = 1; seed <= pairs; ++seed) {
            a[seed] = answers(hard, ofSeeds * normal(random), random);
            b[seed] = answers(hard, ofSeeds * normal(random), random);
        }
        held += twoLevelDifference(ratioMetric(), a, b, SeedTest::Paired, 0.05).interval->contains(0);
    }
    return double(held) / sets;
}

TEST(TwoLevel, IntervalsOfThreeSeedsHoldWhereverTheScatterIs) {
    for (const double ofSeeds : {0.0, 0.1, 0.5}) EXPECT_NEAR(coverage(3, ofSeeds, 1000), 0.955, 0.025) << ofSeeds;
}

/// Where all runs answer alike but for the items' own scatter, seeds add nothing: the interval is that of the items.
TEST(TwoLevel, IsThePairedIntervalOfItemsWhereSeedsAgree) {
    std::mt19937_64 random(9);
    std::normal_distribution<double> normal;
    ItemTerms a, b;
    for (int i = 0; i < 50; ++i) {
        a.insert(a.end(), {normal(random) + 0.3, 1});
        b.insert(b.end(), {normal(random), 1});
    }
    const auto found = twoLevelDifference(ratioMetric(), seeds({a, a, a}), seeds({b, b, b}), SeedTest::Paired, 0.05);
    ASSERT_TRUE(found.p) << found.whyNone;
    EXPECT_NEAR(found.error, found.itemError, 1e-12);
    EXPECT_NEAR(found.freedom, 49, 1e-6);
}

TEST(TwoLevel, WithoutAnIntervalItSaysWhy) {
    std::mt19937_64 random(2);
    const std::vector<double> hard(40, 0.0);
    const ItemTerms one = answers(hard, 0, random), other = answers(hard, 0, random);
    const auto why = [](const SeedItems& a, const SeedItems& b) {
        return twoLevelDifference(ratioMetric(), a, b, SeedTest::Paired, 0.05).whyNone;
    };
    EXPECT_EQ(why(seeds({one}), seeds({other})),
              "an interval over seeds needs at least two runs of each variant; one of them has 1");
    EXPECT_EQ(why(seeds({one}), {{7, other}}), "no two runs have the same seed");
    EXPECT_EQ(why(seeds({one, one}), seeds({one, one})), "the runs differ in 0 of 40 items; an interval needs at least 10");
    const ItemTerms few(one.begin(), one.begin() + 20);
    EXPECT_EQ(why(seeds({few, few}), seeds({few, few})), "an interval needs at least 20 items; there are 10");
    EXPECT_THROW(why(seeds({one, few}), seeds({one, one})), std::invalid_argument);
    const auto single =
        twoLevelDifference(ratioMetric(), seeds({{1, 1}, {1, 1}}), seeds({{0, 1}, {1, 1}}), SeedTest::Paired, 0.05);
    EXPECT_EQ(single.difference, 0.5) << "without the only item there is no score";
    EXPECT_EQ(single.whyNone, "an interval needs at least 20 items; there are 1");
    const auto alone = twoLevelDifference(ratioMetric(), seeds({one, other, one}), seeds({other, one}), SeedTest::Paired, 0.05);
    EXPECT_EQ(alone.alone, std::vector<std::uint64_t>{3});
    EXPECT_EQ(alone.n, 2U);
}

TEST(TwoLevel, BleuWithoutMatchesIsRough) {
    std::vector<BleuStatistics> some, more;
    for (int i = 0; i < 30; ++i) {
        some.push_back(bleuStatistics({"a", "b", "x", "d"}, {"a", "b", "c", "d"}));
        more.push_back(bleuStatistics({"a", "b", "c", "y"}, {"a", "b", "c", "d"}));
    }
    const ItemTerms a = bleuTerms(some), b = bleuTerms(more);
    EXPECT_EQ(twoLevelDifference(bleuMetric("exp"), seeds({a, b}), seeds({b, a}), SeedTest::Paired, 0.05).whyNone,
              "0 4-grams match; an interval needs at least 10");
}

}  // namespace
}  // namespace heddle
