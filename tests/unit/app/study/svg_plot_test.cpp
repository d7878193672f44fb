// SPDX-License-Identifier: Apache-2.0
#include "app/study/svg_plot.h"

#include "app/study/svg_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(PlotTicks, AreRoundAndCoverTheRange) {
    EXPECT_THAT(plotTicks(0, 10, 6), ElementsAre(0, 2, 4, 6, 8, 10));
    const auto fine = plotTicks(0.013, 0.049, 5);
    EXPECT_LE(fine.front(), 0.013);
    EXPECT_GE(fine.back(), 0.049);
    EXPECT_GE(plotTicks(3, 3, 5).size(), 2U);
    EXPECT_GE(plotTicks(0, 0, 5).size(), 2U);
    EXPECT_LE(plotTicks(-1e9, 1e9, 5).size(), 12U);
}

TEST(SvgPlot, DrawsCurvesBandsLegendAndEscapesNames) {
    PlotPage page{"A & B", "note", {"<run>", "other"}, {}};
    PlotPanel panel{"Loss", "step", "nats", {}};
    panel.curves.push_back({0, {{1, 3, 2, 4}, {2, 2, 1, 3}}, PlotCurve::Marks::None});
    panel.curves.push_back({1, {{1, 3, 3, 3}, {2, std::nan(""), 0, 0}, {3, 1, 1, 1}}, PlotCurve::Marks::Points});
    page.panels.push_back(panel);
    const auto svg = svgPlot(page);
    EXPECT_THAT(svg, AllOf(HasSubstr("A &amp; B"), HasSubstr("&lt;run&gt;"), HasSubstr("<polygon"), HasSubstr("#0072B2"),
                           HasSubstr("#D55E00")));
    EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
    EXPECT_EQ(svg, svgPlot(page));
}

TEST(SvgPlot, APointAloneHasAnErrorBar) {
    const auto pageOf = [](double low, double high) {
        PlotPage page{"t", "n", {}, {{"", "x", "y", {}}}};
        page.beginsAtZero = false;
        for (const double x : {5.0, 6.0}) page.panels[0].curves.push_back({0, {{x, 2, low, high}}, PlotCurve::Marks::Points});
        return svgPlot(page);
    };
    EXPECT_THAT(pageOf(1, 3), HasSubstr("stroke-opacity"));
    EXPECT_THAT(pageOf(2, 2), Not(HasSubstr("stroke-opacity")));
    EXPECT_THAT(pageOf(1, 3), Not(HasSubstr(">0</text>"))) << "the x axis begins where the points do";
}

TEST(SvgPlot, SurvivesEmptyAndInfiniteData) {
    const double infinity = std::numeric_limits<double>::infinity();
    PlotPage page{"t",
                  "n",
                  {"a"},
                  {{"empty", "x", "y", {{0, {}, PlotCurve::Marks::None}}},
                   {"wild", "x", "y", {{0, {{1, infinity, -infinity, infinity}}, PlotCurve::Marks::Points}}}}};
    EXPECT_THAT(svgPlot(page), AllOf(Not(HasSubstr("inf")), Not(HasSubstr("nan"))));
}

}  // namespace
}  // namespace heddle::app
