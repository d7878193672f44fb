// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/saturation.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Saturation, BothEndsOfTheRangeAndWhatIsBeyondItCount) {
    std::vector<std::uint32_t> bins(20, 0);
    bins[0] = 5;
    bins[10] = 80;
    bins[19] = 5;
    EXPECT_DOUBLE_EQ(saturatedShare(bins, 0, 10), 0.2);
    EXPECT_DOUBLE_EQ(saturatedShare(bins, 100, 10), 0.6);
    EXPECT_EQ(saturatedShare({}, 0, 0), 0) << "at least one value";
}

}  // namespace
}  // namespace heddle
