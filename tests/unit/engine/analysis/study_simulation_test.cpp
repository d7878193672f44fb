// SPDX-License-Identifier: Apache-2.0
// A selection of tests/simulations/simulate.cpp, with so few studies that chance alone moves a share of 5 % by 2 points.
#include "tests/simulations/study_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace heddle {
namespace {

/// The mean of a number of each of 2,000 studies.
double meanOf(const Study& study, const Truth& truth, const std::function<double(const Answered&)>& number) {
    std::mt19937_64 random(7);
    double sum = 0;
    constexpr int kStudies = 2000;
    for (int i = 0; i < kStudies; ++i) sum += number(answer(study, truth, random));
    return sum / kStudies;
}

double showsAny(const Answered& answered) {
    const auto& rows = answered.verdict.rows;
    return std::any_of(rows.begin(), rows.end(), [](const RowVerdict& row) { return row.verdict != Verdict::NotShown; }) ? 1
                                                                                                                         : 0;
}

TEST(StudySimulation, AStudyThatGrowsKeepsItsErrorRateAndSavesRuns) {
    const Study looks = studyOf(1, R"({"seeds":{"first":3,"last":12}})");
    EXPECT_NEAR(meanOf(looks, kPairs, showsAny), 0.05, 0.015);
    const auto runs = [](const Answered& answered) { return double(answered.runs) / 24; };
    EXPECT_LE(meanOf(looks, shifted(kPairs, 1.5), runs), 0.65);
    EXPECT_GT(meanOf(looks, shifted(kPairs, 1.5), showsAny), 0.95);
    EXPECT_GT(meanOf(looks, kPairs, runs), 0.93) << "without a difference there is nothing to show early";
}

TEST(StudySimulation, IntervalsOfAFamilyHoldTheTruthTogether) {
    const Study twenty = studyOf(20, R"({"seeds":[1,2,3,4,5,6]})");
    const auto holdAll = [](const Answered& answered) {
        const auto& rows = answered.verdict.rows;
        return std::all_of(rows.begin(), rows.end(), [](const RowVerdict& row) { return row.difference.interval->contains(1); })
                   ? 1
                   : 0;
    };
    EXPECT_NEAR(meanOf(twenty, {1, 0, 1, 0.1}, holdAll), 0.95, 0.015) << "where comparisons hardly depend on each other";
    EXPECT_GE(meanOf(twenty, shifted(kPairs, 1), holdAll), 0.935);
}

TEST(StudySimulation, EquivalenceIsClaimedOfFivePerCentAtTheMargin) {
    const double margin = 4 / std::sqrt(10.0);
    const Study study = studyOf(1, R"({"seeds":[1,2,3,4,5,6,7,8,9,10],"claim":{"row":"v1","verdict":"equivalent"},"margin":)" +
                                       std::to_string(margin) + "}");
    const auto isClaimed = [&](const Answered& answered) { return claimIn(study, answered.verdict) == 1 ? 1 : 0; };
    EXPECT_NEAR(meanOf(study, shifted(kPairs, margin), isClaimed), 0.05, 0.015);
    EXPECT_GT(meanOf(study, kPairs, isClaimed), 0.9) << "where there is no difference";
}

}  // namespace
}  // namespace heddle
