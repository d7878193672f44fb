// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/scaling_fit.h"

#include "tests/unit/engine/analysis/comparison_cases.h"

#include <random>
#include <stdexcept>
#include <vector>

namespace heddle {
namespace {

std::vector<SizedRun> runsOf(const std::vector<double>& sizes, const std::vector<double>& losses) {
    std::vector<SizedRun> runs;
    for (std::size_t i = 0; i < sizes.size(); ++i) runs.push_back({sizes[i], losses[i]});
    return runs;
}

TEST(ComparisonOracle, ScalingFitsAreThoseOfScipy) {
    for (const Json& one : comparisonCases().at("scaling")) {
        SCOPED_TRACE(one.dump());
        const std::vector<SizedRun> runs = runsOf(one.at("sizes"), one.at("losses"));
        ScalingFit found = scalingFit(runs, 0.05);
        EXPECT_EQ(found.n, runs.size());
        if (!one.at("has_floor").get<bool>()) {
            if (found.floor) continue;  // scatter that bends: the law with a floor is another one
            EXPECT_TRUE(isNear(found.exponent->value, one.at("exponent")));
            EXPECT_TRUE(isNear(found.exponent->interval.low, one.at("low")));
            EXPECT_TRUE(isNear(found.exponent->interval.high, one.at("high")));
            EXPECT_TRUE(isNear(found.factor, one.at("factor")));
            continue;
        }
        ASSERT_TRUE(found.floor) << found.whyNoFloor;
        EXPECT_TRUE(isNear(found.exponent->value, one.at("exponent"), 1e-6));
        EXPECT_TRUE(isNear(found.exponent->interval.low, one.at("low"), 1e-6));
        EXPECT_TRUE(isNear(found.exponent->interval.high, one.at("high"), 1e-6));
        EXPECT_TRUE(isNear(found.floor->value, one.at("floor"), 1e-6));
        EXPECT_TRUE(isNear(found.floor->interval.low, one.at("floor_low"), 1e-6));
        EXPECT_TRUE(isNear(found.floor->interval.high, one.at("floor_high"), 1e-6));
    }
}

/// `runs` of each size, L(N) = 3 · N^(−0.3) + floor, with relative scatter.
std::vector<SizedRun> drawn(const std::vector<double>& sizes, double floor, double scatter, std::mt19937_64& random,
                            int runs = 3) {
    std::normal_distribution<double> normal;
    std::vector<SizedRun> all;
    for (const double size : sizes)
        for (int i = 0; i < runs; ++i)
            all.push_back({size, (3 * std::pow(size, -0.3) + floor) * std::exp(scatter * normal(random))});
    return all;
}

TEST(ScalingFit, FindsALawWithoutScatter) {
    std::mt19937_64 random(1);
    const auto without = scalingFit(drawn({1, 4, 16}, 0, 0, random), 0.05);
    EXPECT_NEAR(without.exponent->value, 0.3, 1e-9);
    EXPECT_NEAR(without.factor, 3, 1e-9);
    EXPECT_EQ(without.whyNoFloor, "an irreducible loss needs runs of at least four sizes");
    EXPECT_NEAR(without.at(64)->value, 3 * std::pow(64, -0.3), 1e-9);
    const auto with = scalingFit(drawn({1, 4, 16, 64, 256}, 1.5, 0, random), 0.05);
    ASSERT_TRUE(with.floor) << with.whyNoFloor;
    EXPECT_NEAR(with.floor->value, 1.5, 1e-6);
    EXPECT_NEAR(with.exponent->value, 0.3, 1e-6);
    EXPECT_NEAR(with.at(1e6)->value, 3 * std::pow(1e6, -0.3) + 1.5, 1e-5);
}

TEST(ScalingFit, GivesNothingThatTheRunsDoNotTell) {
    std::mt19937_64 random(1);
    EXPECT_EQ(scalingFit(drawn({1, 4}, 0, 0.01, random), 0.05).whyNone, "a scaling law needs runs of at least three sizes");
    EXPECT_EQ(scalingFit({{1, 2}, {2, -1}, {3, 1}}, 0.05).whyNone, "sizes and losses must be positive numbers");
    EXPECT_EQ(scalingFit({}, 0.05).at(1), std::nullopt);
    EXPECT_THROW(scalingFit({}, 0), std::invalid_argument);
    const auto narrow = scalingFit(drawn({1, 1.2, 1.4, 1.6}, 1, 0.05, random), 0.05);
    EXPECT_FALSE(narrow.floor);
    EXPECT_FALSE(narrow.whyNoFloor.empty());
    EXPECT_TRUE(narrow.exponent) << "of a law without a floor";
    const auto bent = scalingFit({{1, 3}, {10, 2.7}, {100, 2}, {1000, 1}}, 0.05);
    EXPECT_EQ(bent.whyNoFloor, "the curve bends the other way: the irreducible loss would be 0 or less");
}

TEST(ScalingFit, IntervalsHoldTheTruthAsOftenAsTheySay) {
    std::mt19937_64 random(8);
    constexpr int kSets = 1000;
    int power = 0, told = 0, exponents = 0, floors = 0, means = 0;
    const double truth = 3 * std::pow(400, -0.3) + 1;
    for (int set = 0; set < kSets; ++set) {
        power += scalingFit(drawn({1, 5, 25}, 0, 0.005, random), 0.05).exponent->interval.contains(0.3);
        const auto fit = scalingFit(drawn({1, 3.2, 10, 32, 100}, 1, 0.005, random), 0.05);
        if (!fit.floor) continue;
        ++told;
        exponents += fit.exponent->interval.contains(0.3);
        floors += fit.floor->interval.contains(1);
        means += fit.at(400)->interval.contains(truth);
    }
    EXPECT_NEAR(double(power) / kSets, 0.95, 0.02);
    EXPECT_GT(told, kSets * 9 / 10);
    EXPECT_NEAR(double(exponents) / told, 0.95, 0.025);
    EXPECT_NEAR(double(floors) / told, 0.95, 0.025);
    EXPECT_NEAR(double(means) / told, 0.95, 0.03) << "where the law holds beyond the sizes";
}

}  // namespace
}  // namespace heddle
