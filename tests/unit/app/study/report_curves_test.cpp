// SPDX-License-Identifier: Apache-2.0
// How the curves of a study's rows differ, and what the report tells of it.
#include "app/study/report_curves.h"

#include "app/study/report_figures.h"
#include "app/study/report_folder.h"
#include "app/study/report_tables.h"
#include "tests/unit/app/study/small_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Base falls from 4 to 2.0, 2.2, 2.45 in 30 steps; the variant is 0.3 lower or more at each step but the first.
std::map<std::string, SeedCurves> curves() {
    return {{"base",
             {{1, {{10, 4.0}, {20, 3.0}, {30, 2.0}}},
              {2, {{10, 4.1}, {20, 3.2}, {30, 2.2}}},
              {3, {{10, 3.9}, {20, 3.1}, {30, 2.45}}}}},
            {"gated",
             {{1, {{10, 4.0}, {20, 2.1}, {30, 1.5}}},
              {2, {{10, 4.2}, {20, 2.3}, {30, 1.7}}},
              {3, {{10, 3.8}, {20, 2.4}, {30, 1.92}}}}}};
}

TEST(ReportCurves, TellDifferenceAreaAndHowSoonTheTargetIsReached) {
    StudyReport report = smallReport();
    report.along = curvesAlong(report.study, report.verdict, curves());
    ASSERT_TRUE(report.along);
    EXPECT_NEAR(report.along->target, 6.65 / 3, 1e-12);
    ASSERT_EQ(report.along->rows.size(), 2U);
    EXPECT_FALSE(report.along->rows[0].difference) << "of the baseline";
    const RowAlong& gated = report.along->rows[1];
    EXPECT_EQ(gated.reached.reached, 3U);
    EXPECT_EQ(*gated.reached.median, 30) << "one run is there at 20, two at 30";
    ASSERT_EQ(gated.difference->points.size(), 3U);
    EXPECT_NEAR(gated.difference->points[0].difference, 0, 1e-12);
    EXPECT_NEAR(gated.difference->points[1].difference, (-0.9 - 0.9 - 0.7) / 3, 1e-12);
    ASSERT_TRUE(gated.difference->points[2].band);
    EXPECT_LT(gated.difference->points[2].band->high, 0);
    // Trapezoids: ((0 + d20) ÷ 2 + (d20 + d30) ÷ 2) ÷ 2
    EXPECT_NEAR(gated.difference->area.difference, (2 * -2.5 / 3 + -1.53 / 3) / 4, 1e-12);

    const auto table = alongTable(report);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->rows[0][1], "2 of 3 runs reach the target");
    EXPECT_EQ(table->rows[0][5], "–");
    EXPECT_EQ(table->rows[1][1], "3 of 3 runs reach the target");
    EXPECT_EQ(table->rows[1][2], "30");
    EXPECT_EQ(table->rows[1][7], "at 2 of 3 evaluations");
    const auto figures = reportFigures(report);
    ASSERT_EQ(figures.back().file, "along.svg");
    EXPECT_THAT(figures.back().svg, AllOf(HasSubstr("<polygon"), HasSubstr("difference from base"), Not(HasSubstr("nan"))));
    EXPECT_THAT(reportHtml(report), AllOf(HasSubstr("Along the curves"), HasSubstr("holds at all evaluations at once")));
    EXPECT_TRUE(reportFiles(report).contains("along.csv"));
}

TEST(ReportCurves, TellWhatTheRunsHadSpentAtTheTarget) {
    StudyReport report = smallReport();
    std::map<std::string, SeedEfforts> efforts;
    for (const std::uint64_t seed : {1, 2, 3})
        for (const double step : {10.0, 20.0, 30.0}) {
            efforts["base"][seed][step] = {step / 10, 1e6 * step};
            efforts["gated"][seed][step] = {step / 10 * double(seed), std::nullopt};
        }
    report.along = curvesAlong(report.study, report.verdict, curves(), efforts);
    ASSERT_TRUE(report.along);
    const RowAlong &base = report.along->rows[0], &gated = report.along->rows[1];
    EXPECT_EQ(base.seconds.has_value(), base.reached.median.has_value());
    // Seed 1 is there at step 20 after 2 s, seeds 2 and 3 at step 30 after 6 and 9 s.
    EXPECT_EQ(*gated.seconds, 6);
    EXPECT_FALSE(gated.flops) << "not known";
    const auto table = alongTable(report);
    EXPECT_EQ(table->columns[3], "median seconds");
    EXPECT_EQ(table->rows[1][3], "6.0");
    EXPECT_EQ(table->rows[1][4], "–");

    efforts["gated"][2].erase(20);
    report.along = curvesAlong(report.study, report.verdict, curves(), efforts);
    EXPECT_FALSE(report.along->rows[1].seconds) << "of one evaluation nobody knows the time";
}

TEST(ReportCurves, AreNotToldBeforeTheStudyMayLookAndNotMadeOfEndpoints) {
    StudyReport report = smallReport();
    for (RowVerdict& row : report.verdict.rows) row.isLookedAt = false;
    const auto early = curvesAlong(report.study, report.verdict, curves());
    ASSERT_TRUE(early);
    EXPECT_FALSE(early->rows[1].difference);
    EXPECT_FALSE(curvesAlong(report.study, report.verdict, {{"base", {{1, {{10, 2.0}}}}}})) << "one evaluation is no curve";
    EXPECT_FALSE(curvesAlong(report.study, report.verdict, {}));
    EXPECT_FALSE(alongTable(report));
    EXPECT_FALSE(reportFiles(report).contains("along.csv"));
}

TEST(ReportCurves, OfManyEvaluationsHaveEvenlyChosenPlacesWithTheLast) {
    StudyReport report = smallReport();
    std::map<std::string, SeedCurves> many;
    for (const char* row : {"base", "gated"})
        for (const std::uint64_t seed : {1, 2, 3})
            for (int step = 1; step <= 1000; ++step)
                many[row][seed].emplace_back(step, 1.0 / step + 0.01 * double(seed * (row[0] == 'g' ? 2 : 3)));
    const auto along = curvesAlong(report.study, report.verdict, many);
    const auto& points = along->rows[1].difference->points;
    ASSERT_EQ(points.size(), kMostPlaces);
    EXPECT_EQ(points.front().x, 1);
    EXPECT_EQ(points.back().x, 1000);
}

}  // namespace
}  // namespace heddle::app
