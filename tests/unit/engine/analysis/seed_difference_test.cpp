// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/seed_difference.h"

#include "engine/analysis/distributions.h"
#include "engine/analysis/paired_difference.h"
#include "engine/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SeedValues seeds(const std::vector<double>& values) {
    SeedValues all;
    for (std::size_t i = 0; i < values.size(); ++i) all[i + 1] = values[i];
    return all;
}

/// Numbers of scipy and statsmodels: committed ones, or those of tests/oracle/seeds_oracle.py (HEDDLE_SEED_CASES).
const Json& cases() {
    static const Json all = [] {
        const char* const given = std::getenv("HEDDLE_SEED_CASES");
        std::ifstream file(given ? given : HEDDLE_SOURCE_DIR "/tests/unit/engine/analysis/cases/seed_cases.json");
        return Json::parse(file);
    }();
    return all;
}

/// Equal to 1e-9, of large and of small numbers.
testing::AssertionResult isNear(double value, const Json& expected) {
    const double wanted = expected.get<double>();
    if (std::abs(value - wanted) <= 1e-9 * std::max(1.0, std::abs(wanted))) return testing::AssertionSuccess();
    return testing::AssertionFailure() << value << " instead of " << wanted;
}

TEST(SeedOracle, DifferencesAreThoseOfScipy) {
    for (const Json& one : cases().at("studies")) {
        SCOPED_TRACE(one.dump());
        const SeedTest test = one.at("test") == "paired" ? SeedTest::Paired : SeedTest::Welch;
        const auto found = seedDifference(seeds(one.at("variant")), seeds(one.at("baseline")), test, one.at("alpha"));
        EXPECT_TRUE(isNear(found.difference, one.at("difference")));
        EXPECT_TRUE(isNear(found.error, one.at("error")));
        EXPECT_TRUE(isNear(found.freedom, one.at("freedom")));
        ASSERT_TRUE(found.p && found.interval) << found.whyNone;
        EXPECT_TRUE(isNear(*found.p, one.at("p")));
        EXPECT_TRUE(isNear(found.interval->low, one.at("low")));
        EXPECT_TRUE(isNear(found.interval->high, one.at("high")));
        EXPECT_TRUE(isNear(*equivalence(found, one.at("margin")), one.at("equivalence")));
        ASSERT_EQ(found.correlation.has_value(), !one.at("correlation").is_null());
        if (found.correlation) {
            EXPECT_TRUE(isNear(*found.correlation, one.at("correlation")));
        }
        ASSERT_EQ(found.signFlip.has_value(), !one.at("sign_flip").is_null());
        if (found.signFlip) {
            EXPECT_TRUE(isNear(found.signFlip->p, one.at("sign_flip")));
        }
    }
}

TEST(SeedOracle, SmallestDetectableDifferencesAreThoseOfScipy) {
    for (const Json& one : cases().at("detectable")) {
        const SeedTest test = one.at("test") == "paired" ? SeedTest::Paired : SeedTest::Welch;
        const double size = one.at("size");
        EXPECT_NEAR(*smallestDetectable(test, 1, one.at("n"), one.at("alpha"), one.at("power")), size, 1e-6 * size) << one;
        EXPECT_EQ(*seedsNeeded(test, 1, size * 1.0001, one.at("alpha"), one.at("power")), one.at("n").get<std::size_t>())
            << one;
    }
}

TEST(SeedOracle, HolmsCorrectionIsThatOfStatsmodels) {
    for (const Json& one : cases().at("holm")) {
        const std::vector<double> p = one.at("p");
        const auto corrected = holmCorrected(p, std::ssize(p));
        for (std::size_t i = 0; i < p.size(); ++i) EXPECT_TRUE(isNear(corrected[i], one.at("corrected")[i]));
    }
}

/// Two intervals of 400,000 and of 200,000 samples differ by some 1 % of the standard error; without the acceleration, or with
/// its sign turned, most of these cases are 20 % and more away.
TEST(SeedOracle, BootstrapIntervalsAreThoseOfScipy) {
    ASSERT_GE(cases().at("bootstrap").size(), 6U);
    for (const Json& one : cases().at("bootstrap")) {
        SCOPED_TRACE(one.dump());
        const SeedTest test = one.at("test") == "paired" ? SeedTest::Paired : SeedTest::Welch;
        const auto found = bootstrapInterval(seeds(one.at("variant")), seeds(one.at("baseline")), test, 0.05, 200'000);
        ASSERT_TRUE(found);
        const double near = 0.04 * one.at("error").get<double>();
        EXPECT_NEAR(found->low, one.at("low"), near);
        EXPECT_NEAR(found->high, one.at("high"), near);
    }
}

TEST(SeedDifference, PairsAreOfEqualSeedsAndTheOthersAreNamed) {
    const SeedValues variant{{1, 2.0}, {2, 2.2}, {4, 2.1}, {9, 5.0}}, baseline{{2, 2.5}, {4, 2.3}, {1, 2.4}, {7, 0.0}};
    const auto pairs = seedDifference(variant, baseline, SeedTest::Paired, 0.05);
    EXPECT_EQ(pairs.n, 3U);
    EXPECT_THAT(pairs.alone, ElementsAre(7, 9));
    EXPECT_NEAR(pairs.difference, (2.0 - 2.4 + 2.2 - 2.5 + 2.1 - 2.3) / 3, 1e-12);
    const auto apart = seedDifference(variant, baseline, SeedTest::Welch, 0.05);
    EXPECT_EQ(apart.n, 4U);
    EXPECT_THAT(apart.alone, testing::IsEmpty());
    EXPECT_FALSE(apart.correlation || apart.signFlip) << "of pairs alone";
}

TEST(SeedDifference, WithoutATestItSaysWhy) {
    const SeedValues one{{1, 2.0}}, two{{1, 2.0}, {2, 3.0}}, moved{{1, 3.0}, {2, 4.0}};
    EXPECT_THAT(seedDifference(one, two, SeedTest::Paired, 0.05).whyNone, HasSubstr("two pairs with equal seeds; there is 1"));
    EXPECT_THAT(seedDifference(one, two, SeedTest::Welch, 0.05).whyNone, HasSubstr("two runs of each variant"));
    EXPECT_THAT(seedDifference(moved, two, SeedTest::Paired, 0.05).whyNone, HasSubstr("all pairs have the same difference"));
    EXPECT_THAT(seedDifference({{1, NAN}, {2, 1.0}}, two, SeedTest::Welch, 0.05).whyNone, HasSubstr("no finite value"));
    const auto none = seedDifference({}, two, SeedTest::Paired, 0.05);
    EXPECT_EQ(none.n, 0U);
    EXPECT_FALSE(none.p || none.interval);
    EXPECT_EQ(verdictOf(none, 0, 0, true, 0.05), Verdict::NotShown);
    EXPECT_THROW(seedDifference(one, two, SeedTest::Paired, 0), std::invalid_argument);
}

TEST(SeedDifference, RoundingIsNoScatter) {
    const auto shifted = seedDifference(seeds({3.0, 3.1, 3.2}), seeds({3.1, 3.2, 3.3}), SeedTest::Paired, 0.05);
    EXPECT_EQ(shifted.whyNone, "all pairs have the same difference") << "though they differ in the last bit";
    EXPECT_FALSE(shifted.p || shifted.areAllEqual);
    EXPECT_TRUE(seedDifference(seeds({3.0, 3.1}), seeds({3.0, 3.1}), SeedTest::Paired, 0.05).areAllEqual);
    EXPECT_EQ(seedDifference(seeds({1, 2, 3}), seeds({1, 2, 2}), SeedTest::Paired, 0.05).signFlip->least, 1)
        << "of one pair that differs";
}

TEST(SeedDifference, FivePairsCannotReachFivePerCentBySigns) {
    for (const auto& [n, least] : {std::pair{3, 0.25}, {4, 0.125}, {5, 0.0625}, {6, 0.03125}}) {
        std::vector<double> better, zero(std::size_t(n), 0.0);
        for (int i = 0; i < n; ++i) better.push_back(-1 - 0.1 * i);
        const auto found = seedDifference(seeds(better), seeds(zero), SeedTest::Paired, 0.05);
        EXPECT_EQ(found.signFlip->least, least);
        EXPECT_EQ(found.signFlip->p, least) << "all pairs say the same";
    }
}

TEST(SeedDifference, TheTableOfWhatSeedsCanShow) {  // shared/research/statistics.md
    const auto shows = [](SeedTest test, std::size_t n, double alpha) {
        return std::round(100 * *smallestDetectable(test, 1, n, alpha, 0.8)) / 100;
    };
    EXPECT_EQ(shows(SeedTest::Paired, 3, 0.05), 3.26);
    EXPECT_EQ(shows(SeedTest::Welch, 3, 0.05), 3.07);
    EXPECT_EQ(shows(SeedTest::Paired, 5, 0.05), 1.68);
    EXPECT_EQ(shows(SeedTest::Welch, 5, 0.05), 2.02);
    EXPECT_EQ(shows(SeedTest::Paired, 10, 0.05), 1.00);
    EXPECT_NEAR(*pairingPaysAbove(3, 0.05, 0.8), 0.56, 0.005);
    EXPECT_NEAR(*pairingPaysAbove(5, 0.05, 0.8), 0.28, 0.005);
    EXPECT_NEAR(*pairingPaysAbove(10, 0.05, 0.8), 0.115, 0.005);
    EXPECT_FALSE(smallestDetectable(SeedTest::Paired, 1, 1, 0.05, 0.8));
    EXPECT_FALSE(seedsNeeded(SeedTest::Paired, 1, 0.001, 0.05, 0.8, 100));
}

TEST(SeedDifference, TheVerdictNamesWhatIsShown) {
    const auto better = seedDifference(seeds({2.0, 2.1, 2.05, 1.95}), seeds({2.5, 2.6, 2.54, 2.46}), SeedTest::Paired, 0.05);
    EXPECT_EQ(verdictOf(better, *better.p, {}, true, 0.05), Verdict::Better);
    EXPECT_EQ(verdictOf(better, *better.p, {}, false, 0.05), Verdict::Worse) << "where higher is better";
    EXPECT_EQ(verdictOf(better, 0.2, {}, true, 0.05), Verdict::NotShown) << "corrected for the family";
    const auto equal = seedDifference(seeds({2.0, 2.1, 2.2, 1.9}), seeds({2.01, 2.09, 2.21, 1.89}), SeedTest::Paired, 0.05);
    EXPECT_EQ(verdictOf(equal, *equal.p, {}, true, 0.05), Verdict::NotShown) << "no margin was named";
    EXPECT_EQ(verdictOf(equal, *equal.p, equivalence(equal, 0.1), true, 0.05), Verdict::Equivalent);
    EXPECT_EQ(verdictOf(equal, *equal.p, equivalence(equal, 0.001), true, 0.05), Verdict::NotShown);
}

/// Share of `studies` whose true difference is 0 in which `rejects`.
template <class Rejects>
double rejected(int studies, std::size_t n, Rejects rejects) {
    std::mt19937_64 random(17);
    std::normal_distribution<double> normal;
    int count = 0;
    for (int study = 0; study < studies; ++study) {
        SeedValues a, b;
        for (std::uint64_t seed = 1; seed <= n; ++seed) {
            const double shared = normal(random);
            a[seed] = shared + normal(random);
            b[seed] = shared + normal(random);
        }
        count += rejects(a, b);
    }
    return double(count) / studies;
}

TEST(SeedDifference, FalsePositivesAreAsManyAsPromised) {
    for (const SeedTest test : {SeedTest::Paired, SeedTest::Welch}) {
        const double share =
            rejected(10'000, 6, [test](const auto& a, const auto& b) { return *seedDifference(a, b, test, 0.05).p < 0.05; });
        if (test == SeedTest::Paired) {
            EXPECT_GT(share, 0.044);
            EXPECT_LT(share, 0.056);
        } else {
            EXPECT_LT(share, 0.03) << "pairs that are ignored make Welch's test too careful";
        }
    }
}

TEST(SeedDifference, TheBootstrapIsBesideTheTInterval) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    SeedValues a, b;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) a[seed] = normal(random) - 0.5, b[seed] = normal(random);
    for (const SeedTest test : {SeedTest::Paired, SeedTest::Welch}) {
        const auto t = seedDifference(a, b, test, 0.05);
        const auto bca = bootstrapInterval(a, b, test, 0.05);
        ASSERT_TRUE(bca);
        EXPECT_NEAR(bca->low, t.interval->low, 0.15 * t.error * 2);
        EXPECT_NEAR(bca->high, t.interval->high, 0.15 * t.error * 2);
        EXPECT_EQ(*bca, *bootstrapInterval(a, b, test, 0.05)) << "always the same";
    }
    EXPECT_FALSE(bootstrapInterval(seeds({1, 2, 3, 4, 5, 6, 7}), seeds({2, 2, 3, 4, 5, 6, 8}), SeedTest::Paired, 0.05));
}

TEST(Distributions, AreEachOthersInverse) {
    for (const double p : {0.001, 0.3, 0.975}) {
        EXPECT_NEAR(normalProbability(normalQuantile(p)), p, 1e-14);
        EXPECT_NEAR(1 - studentUpperTail(studentQuantile(p, 2.5), 2.5), p, 1e-12);
    }
    EXPECT_NEAR(studentPower(0, 4, 0.05), 0.05, 1e-12) << "without a difference it is the level";
}

}  // namespace
}  // namespace heddle
