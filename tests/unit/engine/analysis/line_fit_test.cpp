// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/line_fit.h"

#include "tests/unit/engine/analysis/comparison_cases.h"

#include <limits>

namespace heddle {
namespace {

TEST(LineFit, IsThatOfScipy) {
    const Json cases = oracleCases("HEDDLE_LINE_CASES", "line_cases.json");
    for (const Json& one : cases.at("lines")) {
        const auto fit = lineFit(one.at("x"), one.at("y"));
        ASSERT_TRUE(fit && fit->interval) << one;
        EXPECT_EQ(fit->n, one.at("x").size());
        EXPECT_TRUE(isNear(fit->slope, one.at("slope")));
        EXPECT_TRUE(isNear(fit->intercept, one.at("intercept")));
        EXPECT_TRUE(isNear(fit->correlation, one.at("correlation")));
        EXPECT_TRUE(isNear(fit->interval->low, one.at("low")));
        EXPECT_TRUE(isNear(fit->interval->high, one.at("high")));
    }
}

TEST(LineFit, PointsWithoutAValueAreLeftOutAndAPointHasNoLine) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto fit = lineFit({1, 2, 3, 4}, {2, 4, nan, 8});
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->n, 3U);
    EXPECT_NEAR(fit->slope, 2, 1e-12);
    EXPECT_NEAR(fit->correlation, 1, 1e-12);
    EXPECT_FALSE(lineFit({1, 2}, {1, 3})->interval) << "two points always lie on a line";
    EXPECT_FALSE(lineFit({1, 1, 1}, {1, 2, 3}));
    EXPECT_FALSE(lineFit({1, 2, 3}, {5, 5, 5}));
    EXPECT_FALSE(lineFit({0.1, 0.1, 0.1}, {1, 2, 3})) << "their mean is not 0.1";
    EXPECT_FALSE(lineFit({1, 2, 3}, {0.1, 0.1, 0.1}));
    EXPECT_TRUE(lineFit({0.1, 0.1, 0.1 + 1e-9}, {1, 2, 3})) << "two different x";
    EXPECT_TRUE(lineFit({1, 2, 3}, {0.1, 0.1, 0.1 + 1e-9}));
    EXPECT_FALSE(lineFit({1}, {1}));
    EXPECT_FALSE(lineFit({}, {}));
    EXPECT_THROW(lineFit({1, 2}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
