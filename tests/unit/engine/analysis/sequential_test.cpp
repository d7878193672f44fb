// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/sequential.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace heddle {
namespace {

constexpr Looks kLooks{3, 12};

struct Outcome {
    double shown = 0, seeds = 0;  ///< share of the studies that show a difference; mean number of seeds of each variant
};

/// Studies of normal values whose true difference is `size` standard deviations of the difference of a pair.
Outcome simulate(SeedTest test, double size, double level, int studies, double giveUpBelow = 0, double worth = 0) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    Outcome outcome;
    for (int study = 0; study < studies; ++study) {
        SeedValues a, b;
        for (std::uint64_t seed = 1; seed <= kLooks.last; ++seed) {
            const double scale = test == SeedTest::Paired ? 1 : std::sqrt(0.5);
            a[seed] = size + scale * normal(random);
            b[seed] = test == SeedTest::Paired ? 0 : scale * normal(random);
            if (seed < kLooks.first) continue;
            const auto now = seedDifference(a, b, test, 0.05);
            const bool isShown = *now.p < level;
            const bool givesUp = giveUpBelow > 0 && *conditionalPower(now, kLooks, worth, level) < giveUpBelow;
            if (!isShown && !givesUp && seed < kLooks.last) continue;
            outcome.shown += isShown;
            outcome.seeds += double(seed);
            break;
        }
    }
    outcome.shown /= studies;
    outcome.seeds /= studies;
    return outcome;
}

TEST(Sequential, PlainFivePerCentAtEveryLookRejectsTooOften) {
    EXPECT_NEAR(simulate(SeedTest::Paired, 0, 0.05, 10'000).shown, 0.185, 0.015);
}

TEST(Sequential, TheCalibratedLevelKeepsTheErrorOfAllLooks) {
    for (const SeedTest test : {SeedTest::Paired, SeedTest::Welch}) {
        const double level = levelOfLooks(test, kLooks, 0.05);
        EXPECT_GT(level, 0.005);
        EXPECT_LT(level, 0.02);
        const double share = simulate(test, 0, level, 10'000).shown;
        EXPECT_GT(share, 0.044) << int(test);
        EXPECT_LT(share, 0.056) << int(test);
    }
}

TEST(Sequential, ALargeDifferenceIsShownWithFewerSeeds) {
    const double level = levelOfLooks(SeedTest::Paired, kLooks, 0.05);
    const Outcome outcome = simulate(SeedTest::Paired, 1.5, level, 4'000);
    EXPECT_GT(outcome.shown, 0.95);
    EXPECT_LT(outcome.seeds / double(kLooks.last), 0.65);
}

TEST(Sequential, AHopelessStudyMayGiveUpWithoutMoreErrors) {
    const double level = levelOfLooks(SeedTest::Paired, kLooks, 0.05);
    const Outcome careful = simulate(SeedTest::Paired, 0, level, 4'000),
                  early = simulate(SeedTest::Paired, 0, level, 4'000, 0.2, 1);
    EXPECT_LE(early.shown, careful.shown);
    EXPECT_LT(early.seeds, 0.85 * careful.seeds);
    const Outcome large = simulate(SeedTest::Paired, 1.5, level, 4'000, 0.2, 1.5);
    EXPECT_GT(large.shown, 0.95) << "what is worth finding is found";
}

TEST(Sequential, EquivalenceThatIsStillLikelyIsNoReasonToGiveUp) {
    const double level = levelOfLooks(SeedTest::Paired, kLooks, 0.05);
    const auto now = seedDifference({{1, 0.2}, {2, -0.3}, {3, 0.1}}, {{1, 0}, {2, 0}, {3, 0}}, SeedTest::Paired, 0.05);
    EXPECT_LT(*conditionalPower(now, kLooks, 0.4, level), 1);
    EXPECT_GT(*conditionalEquivalence(now, kLooks, 0.4, level), 0.9);
    EXPECT_EQ(*conditionalEquivalence(now, kLooks, 0.1, level), 0) << "so few seeds cannot show that";
}

TEST(Sequential, OneLookIsAnOrdinaryTest) {
    EXPECT_EQ(levelOfLooks(SeedTest::Paired, {6, 6}, 0.05), 0.05);
    EXPECT_THROW(levelOfLooks(SeedTest::Paired, {1, 6}, 0.05), std::invalid_argument);
    EXPECT_THROW(levelOfLooks(SeedTest::Paired, {7, 6}, 0.05), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
