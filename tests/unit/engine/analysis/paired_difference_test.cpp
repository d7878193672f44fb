// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/paired_difference.h"

#include "engine/base/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace heddle {
namespace {

TEST(PairedDifference, QuantilesAreThoseOfTheTables) {
    EXPECT_NEAR(studentQuantile975(1), 12.7062047364, 1e-8);
    EXPECT_NEAR(studentQuantile975(2), 4.30265272991, 1e-8);
    EXPECT_NEAR(studentQuantile975(7), 2.36462425101, 1e-8);
    EXPECT_NEAR(studentQuantile975(30), 2.04227245630, 1e-8);
    EXPECT_NEAR(studentQuantile975(255), 1.96931, 1e-5);
    EXPECT_NEAR(studentQuantile975(10'000'000), 1.95996, 1e-5);
    EXPECT_THROW(studentQuantile975(0), std::invalid_argument);
}

TEST(PairedDifference, WithEqualWeightsIsThePairedTInterval) {
    // Differences 1, 2, 3, 6: mean 3, standard deviation √(14/3), t(3) = 3.182446.
    const PairedDifference found = pairedDifference({{5, 6, 1}, {1, 3, 1}, {2, 5, 1}, {0, 6, 1}});
    EXPECT_DOUBLE_EQ(found.difference, 3);
    EXPECT_EQ(found.n, 4);
    EXPECT_NEAR(*found.halfWidth, 3.18244630528 * std::sqrt(14.0 / 3) / 2, 1e-9);
}

TEST(PairedDifference, IsOfTheSumsAndLeavesExamplesWithoutWeightOut) {
    const PairedDifference found = pairedDifference({{2, 4, 2}, {3, 3, 4}, {0, 0, 0}});
    EXPECT_DOUBLE_EQ(found.difference, 2.0 / 6);
    EXPECT_EQ(found.n, 2);
    // e = 2 − 2/3 and 0 − 4/3: Σ e² = 32/9.
    EXPECT_NEAR(*found.halfWidth, 12.7062047364 * std::sqrt(2 * 32.0 / 9) / 6, 1e-9);
    EXPECT_FALSE(pairedDifference({{1, 2, 1}}).halfWidth);
    EXPECT_EQ(*pairedDifference({{1, 1, 3}, {2, 2, 5}}).halfWidth, 0);
    EXPECT_THROW(pairedDifference({{0, 0, 0}}), std::invalid_argument);
}

/// Of 2,000 made-up sets of 40 sentences, about 95 % of the intervals hold the true difference.
TEST(PairedDifference, IntervalsHoldTheTruthAsOftenAsTheySay) {
    std::uint32_t draws = 0;
    const auto uniform = [&] { return (philox::draw({draws++, 0, 0, 0}, {7, 9})[0] + 0.5) / 4294967296.0; };
    constexpr double kTruth = 0.3;
    int held = 0;
    for (int set = 0; set < 2000; ++set) {
        std::vector<PairedExample> examples;
        for (int i = 0; i < 40; ++i) {
            const double tokens = 5 + std::floor(20 * uniform());
            double noise = 0;
            for (int j = 0; j < 4; ++j) noise += uniform() - 0.5;
            examples.push_back({2 * tokens, (2 + kTruth + noise) * tokens, tokens});
        }
        const PairedDifference found = pairedDifference(examples);
        held += std::abs(found.difference - kTruth) <= *found.halfWidth ? 1 : 0;
    }
    EXPECT_NEAR(held / 2000.0, 0.95, 0.015);
}

/// Of a mean the jackknife is the t interval exactly.
TEST(PairedDifference, TheJackknifeOfAMeanIsItsTInterval) {
    const std::vector<double> values{1, 2, 3, 6};
    std::vector<double> leftOut;
    for (const double value : values) leftOut.push_back((12 - value) / 3);
    EXPECT_NEAR(*jackknifeHalfWidth(leftOut), 3.18244630528 * std::sqrt(14.0 / 3) / 2, 1e-9);
    EXPECT_FALSE(jackknifeHalfWidth({1}));
}

}  // namespace
}  // namespace heddle
