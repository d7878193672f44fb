// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/curve_difference.h"

#include "tests/unit/engine/analysis/comparison_cases.h"

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {
namespace {

SeedCurves curvesOf(const std::vector<double>& places, const std::vector<std::vector<double>>& values) {
    SeedCurves all;
    for (std::size_t run = 0; run < values.size(); ++run)
        for (std::size_t i = 0; i < places.size(); ++i) all[run + 1].emplace_back(places[i], values[run][i]);
    return all;
}

TEST(ComparisonOracle, BandsOfCurvesAreThoseOfScipy) {
    for (const Json& one : comparisonCases().at("curves")) {
        const auto found = curveDifference(curvesOf(one.at("places"), one.at("variant")),
                                           curvesOf(one.at("places"), one.at("baseline")), testOf(one), 0.05);
        ASSERT_TRUE(found.level) << found.whyNone;
        EXPECT_TRUE(isNear(*found.level, one.at("level")));
        ASSERT_EQ(found.points.size(), one.at("low").size());
        for (std::size_t i = 0; i < found.points.size(); ++i) {
            EXPECT_TRUE(isNear(found.points[i].band->low, one.at("low")[i]));
            EXPECT_TRUE(isNear(found.points[i].band->high, one.at("high")[i]));
        }
        EXPECT_TRUE(isNear(found.area.difference, one.at("area")));
        EXPECT_TRUE(isNear(*found.area.p, one.at("area_p")));
    }
}

/// Curves that wander: their scatter at one place says something of the next.
SeedCurves wandering(std::size_t runs, std::size_t places, double keeps, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    SeedCurves all;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        double at = normal(random);
        for (std::size_t i = 0; i < places; ++i) {
            all[seed].emplace_back(double(i), at);
            at = keeps * at + std::sqrt(1 - keeps * keeps) * normal(random);
        }
    }
    return all;
}

TEST(CurveDifference, TheBandHoldsAtAllPlacesAtOnce) {
    for (const SeedTest test : {SeedTest::Paired, SeedTest::Welch})
        for (const std::size_t runs : {3U, 6U}) {
            std::mt19937_64 random(4);
            constexpr int kSets = 800;
            int held = 0, areas = 0;
            for (int set = 0; set < kSets; ++set) {
                const auto found =
                    curveDifference(wandering(runs, 30, 0.9, random), wandering(runs, 30, 0.9, random), test, 0.05);
                held += std::all_of(found.points.begin(), found.points.end(),
                                    [](const CurvePoint& point) { return point.band->contains(0); });
                areas += found.area.interval->contains(0);
            }
            EXPECT_GE(double(held) / kSets, 0.93) << runs;
            EXPECT_LE(double(held) / kSets, 0.995) << runs;
            EXPECT_GE(double(areas) / kSets, 0.93) << "of the area";
        }
}

TEST(CurveDifference, MoreEvaluationsOfSmoothCurvesHardlyWidenTheBand) {
    const auto level = [](std::size_t places) {
        std::vector<double> at;
        std::vector<std::vector<double>> variant(6), baseline(6);
        for (std::size_t i = 0; i < places; ++i) {
            at.push_back(double(i) / double(places));
            for (std::size_t run = 0; run < 6; ++run) {
                variant[run].push_back(std::sin(3 * at.back() + double(run * run)) + double(run % 2));
                baseline[run].push_back(0);
            }
        }
        return curveDifference(curvesOf(at, variant), curvesOf(at, baseline), SeedTest::Paired, 0.05).level.value();
    };
    EXPECT_GT(level(2000) / level(200), 0.98);
    EXPECT_LT(level(200), 0.04) << "less than at one place";
}

TEST(CurveDifference, PlacesThatNotAllHaveAreLeftOutAndCounted) {
    SeedCurves a = curvesOf({1, 2, 3}, {{1, 2, 3}, {2, 2, 2}, {1, 1, 2}}),
               b = curvesOf({1, 2, 4}, {{1, 1, 1}, {1, 2, 1}, {0, 1, 0}});
    b[1][1].second = std::numeric_limits<double>::quiet_NaN();
    b[9] = {{1, 0}};
    const auto found = curveDifference(a, b, SeedTest::Paired, 0.05);
    ASSERT_EQ(found.points.size(), 1U);
    EXPECT_EQ(found.points[0].x, 1);
    EXPECT_EQ(found.leftOut, 3U);
    EXPECT_EQ(found.alone, std::vector<std::uint64_t>{9});
    EXPECT_EQ(found.n, 3U);
    b.erase(2);
    EXPECT_EQ(curveDifference(a, b, SeedTest::Paired, 0.05).whyNone,
              "a confidence band needs at least 3 runs of each variant; one of them has 2");
    EXPECT_EQ(curveDifference(a, a, SeedTest::Paired, 0.05).whyNone, "the differences have no variance at any point");
    EXPECT_TRUE(curveDifference({}, {}, SeedTest::Paired, 0.05).points.empty());
    EXPECT_THROW(curveDifference(a, b, SeedTest::Paired, 1), std::invalid_argument);
}

TEST(TargetReached, RunsThatDoNotReachItAreSaidToBeLater) {
    const SeedCurves curves = curvesOf({100, 200, 300}, {{5, 3, 2}, {5, 4, 2.5}, {5, 4.5, 4}});
    const auto found = targetReached(curves, 3, true);
    EXPECT_EQ(found.text(), "2 of 3 runs reach the target");
    EXPECT_EQ(found.x.at(1), 200);
    EXPECT_EQ(found.x.at(2), 300);
    EXPECT_EQ(found.x.at(3), std::nullopt);
    EXPECT_EQ(found.median, 300) << "the third is later than 300";
    EXPECT_EQ(targetReached(curves, 2, true).median, std::nullopt) << "one of three";
    EXPECT_EQ(targetReached(curves, 5, false).median, 100) << "where higher is better";
    SeedCurves stopped = curves;
    stopped[3].pop_back();
    EXPECT_EQ(targetReached(stopped, 3, true).median, std::nullopt) << "it might have reached it before 300";
    EXPECT_EQ(targetReached({}, 3, true).median, std::nullopt);
}

}  // namespace
}  // namespace heddle
