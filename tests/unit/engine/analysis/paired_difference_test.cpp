// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/paired_difference.h"

#include "engine/analysis/distributions.h"
#include "engine/base/philox.h"
#include "tests/unit/engine/analysis/comparison_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// Numbers in (0, 1), the same in every run.
class Draws {
public:
    double operator()() { return (philox::draw({draws_++, 0, 0, 0}, {7, 9})[0] + 0.5) / 4294967296.0; }

private:
    std::uint32_t draws_ = 0;
};

/// Two standard deviations of a share of about 0.95 of so many sets.
double chance(int sets) { return 2 * std::sqrt(0.95 * 0.05 / sets); }

TEST(PairedDifference, QuantilesAreThoseOfTheTables) {
    EXPECT_NEAR(studentQuantile(0.975, 1), 12.7062047364, 1e-8);
    EXPECT_NEAR(studentQuantile(0.975, 2), 4.30265272991, 1e-8);
    EXPECT_NEAR(studentQuantile(0.975, 7), 2.36462425101, 1e-8);
    EXPECT_NEAR(studentQuantile(0.975, 30), 2.04227245630, 1e-8);
    EXPECT_NEAR(studentQuantile(0.975, 255), 1.96931, 1e-5);
    EXPECT_NEAR(studentQuantile(0.975, 10'000'000), 1.95996, 1e-5);
}

/// Twenty changes and more, symmetric around their mean: no skewness, so the interval is that of the t distribution.
TEST(PairedDifference, WithoutSkewnessAndWithEqualWeightsIsThePairedTInterval) {
    std::vector<PairedExample> examples;
    double squares = 0;
    for (int i = 0; i < 20; ++i) {
        const double deviation = i - 9.5;
        squares += deviation * deviation;
        examples.push_back({3, 3 + 30 + deviation, 1});
    }
    const PairedDifference found = pairedDifference(examples);
    EXPECT_DOUBLE_EQ(found.difference, 30);
    EXPECT_EQ(found.n, 20);
    ASSERT_TRUE(found.interval) << found.whyNone;
    const double half = 2.09302405441 * std::sqrt(squares / 19 / 20);
    EXPECT_NEAR(found.interval->low, 30 - half, 1e-9);
    EXPECT_NEAR(found.interval->high, 30 + half, 1e-9);
}

/// Differences 1 to 19 and 40, of weights 1: computed in Python from the formulas.
TEST(PairedDifference, TheTransformationIsHalls) {
    std::vector<PairedExample> examples;
    for (int i = 1; i < 20; ++i) examples.push_back({0, static_cast<double>(i), 1});
    examples.push_back({0, 40, 1});
    const PairedDifference found = pairedDifference(examples);
    ASSERT_TRUE(found.interval) << found.whyNone;
    EXPECT_NEAR(found.interval->low, 7.7368594529, 1e-8);
    EXPECT_NEAR(found.interval->high, 15.924466624, 1e-8);
    EXPECT_NEAR(found.interval->p, 7.0135809991e-07, 1e-9);
}

/// Computed in Python: the likelihood under each assumed difference maximised by search, the score solved by bisection.
TEST(PairedDifference, OfSingleAnswersIsTangosScoreInterval) {
    const auto answers = [](int gained, int lost, int n) {
        std::vector<PairedExample> examples(static_cast<std::size_t>(n), PairedExample{1, 1, 1});
        for (int i = 0; i < gained; ++i) examples[static_cast<std::size_t>(i)] = {0, 1, 1};
        for (int i = gained; i < gained + lost; ++i) examples[static_cast<std::size_t>(i)] = {1, 0, 1};
        return pairedDifference(examples);
    };
    const PairedDifference found = answers(3, 12, 100);
    ASSERT_TRUE(found.interval) << found.whyNone;
    EXPECT_NEAR(found.interval->low, -0.173742844232, 1e-6);
    EXPECT_NEAR(found.interval->high, -0.015977142329, 1e-6);
    EXPECT_NEAR(found.interval->p, 0.0201367515503, 1e-9) << "McNemar's";
    const PairedDifference all = answers(0, 20, 20);
    ASSERT_TRUE(all.interval) << "an effect may be as large as it can be";
    EXPECT_EQ(all.difference, -1);
    EXPECT_NEAR(all.interval->low, -1, 1e-6);
    EXPECT_GT(all.interval->high, -0.9);
}

/// scipy's, at the levels that hold for 1, 12 and 48 differences together (tests/oracle/ablation_oracle.py).
TEST(PairedDifference, IntervalsOfManyDifferencesAreWiderAsTheirNumberSays) {
    const Json cases = oracleCases("HEDDLE_ABLATION_CASES", "../../model/cases/ablation_cases.json");
    for (const Json& one : cases.at("intervals")) {
        std::vector<PairedExample> examples;
        for (const double change : one.at("changes")) examples.push_back({0, change, 1});
        const PairedDifference found = pairedDifference(examples, 0.05 / one.at("m").get<double>());
        ASSERT_TRUE(found.interval);
        EXPECT_NEAR(found.interval->low, one.at("interval").at(0), 1e-9) << one;
        EXPECT_NEAR(found.interval->high, one.at("interval").at(1), 1e-9) << one;
        EXPECT_EQ(found.interval->p, pairedDifference(examples).interval->p);
    }
    for (const Json& one : cases.at("answers")) {
        std::vector<PairedExample> examples(one.at("n").get<std::size_t>(), PairedExample{1, 1, 1});
        const auto gained = one.at("gained").get<std::size_t>(), lost = one.at("lost").get<std::size_t>();
        for (std::size_t i = 0; i < gained + lost; ++i)
            examples[i] = i < gained ? PairedExample{0, 1, 1} : PairedExample{1, 0, 1};
        const PairedDifference found = pairedDifference(examples, 0.05 / one.at("m").get<double>());
        ASSERT_TRUE(found.interval);
        EXPECT_NEAR(found.interval->low, one.at("interval").at(0), 1e-8) << one;
        EXPECT_NEAR(found.interval->high, one.at("interval").at(1), 1e-8) << one;
    }
}

TEST(PairedDifference, IsOfTheSumsAndLeavesExamplesWithoutWeightOut) {
    const PairedDifference found = pairedDifference({{2, 4, 2}, {3, 3, 4}, {0, 0, 0}});
    EXPECT_DOUBLE_EQ(found.difference, 2.0 / 6);
    EXPECT_EQ(found.n, 2);
    EXPECT_THROW(pairedDifference({{0, 0, 0}}), std::invalid_argument);
}

TEST(PairedDifference, WithoutEnoughExamplesOrChangesThereIsNoIntervalButAReason) {
    const auto whyNone = [](int n, int changed, double change) {
        std::vector<PairedExample> examples(static_cast<std::size_t>(n), PairedExample{1, 1, 2});
        for (int i = 0; i < changed; ++i) examples[static_cast<std::size_t>(i)].after += change;
        const PairedDifference found = pairedDifference(examples);
        EXPECT_NE(found.interval.has_value(), !found.whyNone.empty());
        return found.whyNone;
    };
    EXPECT_EQ(whyNone(4, 4, 1), "an interval needs at least 20 examples; there are 4");
    EXPECT_EQ(whyNone(1, 1, 1), "an interval needs at least 20 examples; there are 1");
    EXPECT_EQ(whyNone(200, 0, 1), "no example differs");
    EXPECT_EQ(whyNone(200, 9, 0.5), "the difference rests on 9 of 200 examples; an interval needs at least 10");
    EXPECT_EQ(whyNone(200, 10, 0.5), "");
    EXPECT_EQ(whyNone(20, 20, 0.5), "all examples differ by the same amount");
    EXPECT_EQ(whyNone(20, 20, std::numeric_limits<double>::quiet_NaN()), "the difference is not a finite number");
    std::vector<PairedExample> one(200, PairedExample{0, 0.001, 1});
    one[7].after = 50;
    EXPECT_EQ(pairedDifference(one).whyNone, "the difference rests on 1 of 200 examples; an interval needs at least 10")
        << "all change, but one decides";
}

TEST(PairedDifference, PIsBelowFivePerCentWhereZeroIsOutside) {
    Draws draw;
    int outside = 0;
    for (int set = 0; set < 400; ++set) {
        std::vector<PairedExample> examples;
        for (int i = 0; i < 30; ++i) {
            const double change = set % 2 == 0 ? std::floor(3 * draw()) - 0.7 : (draw() < 0.5 ? 0 : draw() < 0.7 ? 1 : -1);
            examples.push_back({0, change, 1});
            if (set % 2 == 1) examples.back() = {change < 0 ? 1.0 : 0.0, change > 0 ? 1.0 : 0.0, 1};
        }
        const PairedDifference found = pairedDifference(examples);
        if (!found.interval) continue;
        const bool isOutside = found.interval->low > 0 || found.interval->high < 0;
        EXPECT_EQ(isOutside, found.interval->p < 0.05) << found.interval->low << " " << found.interval->high;
        outside += isOutside ? 1 : 0;
    }
    EXPECT_GT(outside, 50);
    EXPECT_LT(outside, 350);
}

/// A population of examples: the change and the weight of one, and how many sets of each size are drawn.
struct Population {
    std::string name;
    std::function<PairedExample(Draws&)> draw;
    double truth = 0;
};

/// Answers right or wrong: a share `gained` is right only after, a share `lost` only before.
Population answers(double gained, double lost) {
    return {"answers " + std::to_string(gained) + " " + std::to_string(lost),
            [=](Draws& draw) {
                const double u = draw();
                return PairedExample{u < lost ? 1.0 : 0.0, u >= lost && u < lost + gained ? 1.0 : 0.0, 1};
            },
            gained - lost};
}

/// Sentences of 5 to 24 tokens; a share of them gains or loses one or two right tokens.
Population tokens(double share, double gaining) {
    const double perSentence = share * (2 * gaining - 1) * 1.3;
    return {"tokens " + std::to_string(share) + " " + std::to_string(gaining),
            [=](Draws& draw) {
                const double count = 5 + std::floor(20 * draw());
                if (draw() >= share) return PairedExample{3, 3, count};
                const double change = (draw() < gaining ? 1.0 : -1.0) * (draw() < 0.3 ? 2 : 1);
                return PairedExample{3, 3 + change, count};
            },
            perSentence / 14.5};
}

/// Losses: every sentence changes by `mean` a token and about as much again, symmetric or as an exponential distribution.
Population losses(double share, bool isSkewed) {
    return {std::string("losses ") + (isSkewed ? "skewed " : "symmetric ") + std::to_string(share),
            [=](Draws& draw) {
                const double count = 5 + std::floor(20 * draw());
                double noise = 0;
                for (int j = 0; j < 4; ++j) noise += draw() - 0.5;
                const double change = draw() >= share ? 0 : isSkewed ? -0.3 * std::log(draw()) : 0.3 + noise;
                return PairedExample{2 * count, (2 + change) * count, count};
            },
            0.3 * share};
}

/// Numbers with the density of a standard normal distribution.
double normalDraw(Draws& draw) {
    const double radius = std::sqrt(-2 * std::log(draw()));
    return radius * std::cos(6.283185307179586 * draw());
}

/// Losses whose changes have a heavy tail on one side, by sentence or by token.
Population lognormal(double sigma, bool isPerToken) {
    return {"lognormal " + std::to_string(sigma) + (isPerToken ? " a token" : ""),
            [=](Draws& draw) {
                const double count = isPerToken ? 5 + std::floor(20 * draw()) : 1;
                return PairedExample{count, (1 + std::exp(sigma * normalDraw(draw))) * count, count};
            },
            std::exp(sigma * sigma / 2)};
}

/// Changes of Student's t distribution with two degrees of freedom around `middle`: no variance, but two equal tails.
Population studentOfTwo(double middle) {
    return {"t(2) around " + std::to_string(middle),
            [=](Draws& draw) {
                const double u = draw();
                return PairedExample{0, middle + (2 * u - 1) / std::sqrt(2 * u * (1 - u)), 1};
            },
            middle};
}

/// The absolute values of these around 0: one tail, which the sample often does not show.
Population absoluteStudentOfTwo() {
    return {"|t(2)|",
            [](Draws& draw) {
                const double u = draw();
                return PairedExample{0, std::abs(2 * u - 1) / std::sqrt(2 * u * (1 - u)), 1};
            },
            std::sqrt(2.0)};
}

/// How many of `sets` sets of n examples get an interval, and how many of these hold the truth.
struct Coverage {
    int given = 0, held = 0;
};

Coverage coverageOf(const Population& population, int n, int sets, Draws& draw) {
    Coverage found;
    for (int set = 0; set < sets; ++set) {
        std::vector<PairedExample> examples;
        for (int i = 0; i < n; ++i) examples.push_back(population.draw(draw));
        const auto interval = pairedDifference(examples).interval;
        if (!interval) continue;
        ++found.given;
        found.held += interval->low <= population.truth && population.truth <= interval->high ? 1 : 0;
    }
    return found;
}

/// Before: 9 to 21 % of all such sets were given an interval that did not hold the truth.
TEST(PairedDifference, ATailTooHeavyForTheExamplesGivesNoInterval) {
    Draws draw;
    constexpr int kSets = 400;
    for (const Population& population : {lognormal(1.5, false), lognormal(1.5, true), lognormal(2, false)})
        for (const int n : {20, 50, 100, 300}) {
            const Coverage found = coverageOf(population, n, kSets, draw);
            const std::string what = population.name + ", n = " + std::to_string(n);
            EXPECT_LE(found.given - found.held, (0.07 + chance(kSets)) * kSets) << what;
            EXPECT_LE(found.given, kSets / 3) << what;
        }
    std::vector<PairedExample> examples;
    for (int i = 0; i < 200; ++i) examples.push_back(lognormal(2, false).draw(draw));
    EXPECT_EQ(pairedDifference(examples).whyNone,
              "a few examples differ far more than the others, all in one direction: 200 examples are too few for an interval");
}

TEST(PairedDifference, TwoEqualTailsAreHeldAndOrdinaryLossesKeepTheirIntervals) {
    Draws draw;
    constexpr int kSets = 400;
    for (const Population& population : {studentOfTwo(0), studentOfTwo(1)})
        for (const int n : {20, 50, 100, 300}) {
            const Coverage found = coverageOf(population, n, kSets, draw);
            const std::string what = population.name + ", n = " + std::to_string(n);
            EXPECT_LE(found.given - found.held, (0.07 + chance(kSets)) * kSets) << what;
            EXPECT_GE(found.given, kSets / 4) << what;
        }
    for (const int n : {50, 100, 300}) {
        EXPECT_EQ(coverageOf(losses(1, false), n, kSets, draw).given, kSets) << "symmetric, n = " << n;
        EXPECT_GE(coverageOf(losses(1, true), n, kSets, draw).given, kSets * 85 / 100) << "exponential, n = " << n;
    }
}

/// resources/help/inspect.md says so, of what cannot be had. A rule that changes these numbers changes that page.
TEST(PairedDifference, OneSidedTailsAreHeldAsSeldomAsTheHelpSays) {
    Draws draw;
    constexpr int kSets = 2000;
    for (const int n : {50, 100}) {
        const auto [given, held] = coverageOf(absoluteStudentOfTwo(), n, kSets, draw);
        EXPECT_NEAR(given / static_cast<double>(kSets), 0.53, 0.05) << n;
        EXPECT_NEAR(held / static_cast<double>(given), 0.785, 0.04) << n;
        const auto [some, right] = coverageOf(lognormal(1, false), n, kSets, draw);
        EXPECT_NEAR(some / static_cast<double>(kSets), 0.70, 0.08) << n;
        EXPECT_NEAR(right / static_cast<double>(some), 0.895, 0.04) << n;
    }
}

/// Of the sets that get an interval, 93 to 97 % of the intervals hold the true difference, whatever its size, where a tenth or
/// fewer get none, and 91 to 98 % where a quarter do; where more get none, at most 7 % of all sets are told something false.
TEST(PairedDifference, IntervalsHoldTheTruthAsOftenAsTheySay) {
    std::vector<Population> populations{losses(1, false), losses(1, true), losses(0.3, true)};
    for (const double share : {0.02, 0.05, 0.1, 0.2, 0.5, 0.8})
        for (const double gaining : {0.0, 0.25, 0.5}) {
            populations.push_back(answers(share * gaining, share * (1 - gaining)));
            populations.push_back(tokens(share, gaining));
        }
    Draws draw;
    int judged = 0;
    for (const Population& population : populations)
        for (const int n : {20, 35, 50, 100, 200, 1000}) {
            const int sets = n == 1000 ? 500 : 1500;
            const auto [given, held] = coverageOf(population, n, sets, draw);
            const std::string what = population.name + ", n = " + std::to_string(n);
            EXPECT_LE((given - held) / static_cast<double>(sets), 0.07 + chance(sets)) << what;
            if (given < sets * 3 / 4) continue;  // of the lucky half of the sets nothing can be promised
            ++judged;
            const double coverage = held / static_cast<double>(given);
            const double slack = given < sets * 9 / 10 ? 0.02 : 0;
            EXPECT_GE(coverage, 0.93 - slack - chance(given)) << what;
            EXPECT_LE(coverage, 0.97 + slack / 2 + chance(given)) << what;
        }
    EXPECT_GT(judged, 80) << "an interval is given where it can be had";
}

/// Twelve changes without an effect, on the same examples: at 1 − 0.05 ÷ 12 their intervals hold together, at 95 % they do not.
TEST(PairedDifference, IntervalsOfARankingHoldTogether) {
    constexpr int kSets = 300, kChanges = 12;
    Draws draw;
    const auto holds = [](const PairedDifference& found) { return found.interval->low <= 0 && found.interval->high >= 0; };
    int together = 0, alone = 0;
    for (int set = 0; set < kSets; ++set) {
        bool all = true, allAlone = true;
        for (int change = 0; change < kChanges; ++change) {
            std::vector<PairedExample> examples;
            for (int i = 0; i < 64; ++i) examples.push_back({0, draw() + draw() - 1, 1});
            all = all && holds(pairedDifference(examples, 0.05 / kChanges));
            allAlone = allAlone && holds(pairedDifference(examples));
        }
        together += all ? 1 : 0, alone += allAlone ? 1 : 0;
    }
    EXPECT_GE(together, kSets * (0.95 - chance(kSets)));
    EXPECT_LE(alone, kSets * 0.65) << "0.95 to the power of 12 is 0.54";
}

/// Of a mean the jackknife is the interval of the mean.
TEST(PairedDifference, TheJackknifeOfAMeanIsItsInterval) {
    std::vector<PairedExample> examples;
    std::vector<LeftOut> leftOut;
    Draws draw;
    for (int i = 0; i < 25; ++i) examples.push_back({0, draw() * draw(), 1});
    const PairedDifference mean = pairedDifference(examples);
    for (const PairedExample& one : examples) leftOut.push_back({(25 * mean.difference - one.after) / 24, true});
    const PairedDifference found = jackknifeDifference(mean.difference, leftOut);
    ASSERT_TRUE(mean.interval && found.interval);
    EXPECT_NEAR(found.interval->low, mean.interval->low, 1e-12);
    EXPECT_NEAR(found.interval->high, mean.interval->high, 1e-12);
    for (std::size_t i = 0; i < leftOut.size(); ++i) leftOut[i].changes = i < 3;
    EXPECT_FALSE(jackknifeDifference(mean.difference, leftOut).interval) << "three sentences change";
}

/// Holm's own rule: 0.01 · 4, 0.02 · 3, then never below what came before.
TEST(PairedDifference, HolmMultipliesBySoManyAsAreLeft) {
    EXPECT_EQ(holmCorrected({0.02, 0.01, 0.03, 0.9}, 4), (std::vector<double>{0.06, 0.04, 0.06, 0.9}));
    EXPECT_EQ(holmCorrected({0.2, 0.01}, 48), (std::vector<double>{1, 0.48})) << "of 48, of which 46 have no p";
    EXPECT_TRUE(holmCorrected({}, 3).empty());
}

}  // namespace
}  // namespace heddle
