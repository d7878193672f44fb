// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/mean_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MeanCurve, IsWhereAllCurvesAre) {
    EXPECT_THAT(meanCurve({{{100, 4}, {200, 2}, {300, 1}}, {{100, 2}, {200, 3}}}),
                ElementsAre(MeanPoint{100, 3, 2, 4}, MeanPoint{200, 2.5, 2, 3}));
    EXPECT_THAT(meanCurve({}), IsEmpty());
}

TEST(MeanCurve, APlaceThatACurveHasTwiceCountsOnce) {
    EXPECT_THAT(meanCurve({{{100, 9}, {100, 4}, {200, 7}, {200, 5}}, {{100, 2}}}), ElementsAre(MeanPoint{100, 3, 2, 4}))
        << "the later value; and at 200 there is one curve alone";
}

}  // namespace
}  // namespace heddle
