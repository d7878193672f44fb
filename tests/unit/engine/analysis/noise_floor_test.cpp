// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/noise_floor.h"

#include "tests/unit/engine/analysis/comparison_cases.h"

#include <limits>
#include <numeric>
#include <random>

namespace heddle {
namespace {

TEST(ComparisonOracle, NoiseFloorsAreThoseOfStatsmodels) {
    for (const Json& one : comparisonCases().at("noise")) {
        const auto floor = noiseFloor(one.at("groups"));
        ASSERT_TRUE(floor) << one;
        EXPECT_TRUE(isNear(floor->deviation, one.at("deviation")));
        EXPECT_TRUE(isNear(floor->freedom, one.at("freedom")));
        EXPECT_TRUE(isNear(floor->reach(one.at("n")), one.at("reach")));
    }
}

TEST(NoiseFloor, SaysWhatItIsMadeFrom) {
    const auto floor = noiseFloor({{1, 2, 3}, {5}, {4, 6, std::numeric_limits<double>::quiet_NaN()}});
    ASSERT_TRUE(floor);
    EXPECT_EQ(floor->groups, 2U) << "a single run scatters by nothing";
    EXPECT_EQ(floor->runs, 5U);
    EXPECT_EQ(floor->text(3),
              "two means of 3 seeds differ by less than this in 95 % of repetitions; estimated from 5 runs in 2 groups with "
              "equal settings; 1 without a finite value left out");
    EXPECT_EQ(noiseFloor({{1, 2}})->text(1),
              "two means of one seed differ by less than this in 95 % of repetitions; estimated from 2 runs with equal "
              "settings");
    EXPECT_FALSE(noiseFloor({{1}, {2}, {}}));
    EXPECT_FALSE(noiseFloor({}));
}

TEST(NoiseFloor, TwoMeansDifferByLessInNinetyFivePerCentOfRepeats) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    const auto runs = [&](std::size_t n) {
        std::vector<double> all(n);
        for (double& value : all) value = normal(random);
        return all;
    };
    const auto mean = [](const std::vector<double>& all) {
        return std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
    };
    int below = 0;
    constexpr int kRepeats = 10'000;
    for (int i = 0; i < kRepeats; ++i) {
        const std::vector<std::vector<double>> groups{runs(3), runs(3), runs(2)};
        below += std::abs(mean(groups[0]) - mean(groups[1])) < noiseFloor(groups)->reach(3);
    }
    EXPECT_NEAR(double(below) / kRepeats, 0.95, 0.006);
}

}  // namespace
}  // namespace heddle
