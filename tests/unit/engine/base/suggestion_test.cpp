// SPDX-License-Identifier: Apache-2.0
#include "engine/base/suggestion.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(DidYouMean, FindsTheNearestOrNothing) {
    const std::vector<std::string> known{"adjuster", "residual", "norm", "dropout", "r", "s"};
    EXPECT_EQ(didYouMean("resdual", known), "residual");
    EXPECT_EQ(didYouMean("Residual", known), "residual");
    EXPECT_EQ(didYouMean("adjsuter", known), "adjuster");
    EXPECT_EQ(didYouMean("nrom", known), "norm");
    EXPECT_EQ(didYouMean("q", known), "r");
    EXPECT_EQ(didYouMean("attention", known), "");
    EXPECT_EQ(didYouMean("", known), "");
    EXPECT_EQ(didYouMean("x", {}), "");
}

TEST(Suggestion, AsksAndLists) {
    EXPECT_EQ(nearestHint("nrom", {"norm", "r"}), "did you mean \"norm\"?");
    EXPECT_EQ(nearestHint("attention", {"norm", "r"}), "");
    EXPECT_EQ(suggestion("nrom", {"norm", "r"}), "did you mean \"norm\"? Known: norm, r");
    EXPECT_EQ(suggestion("attention", {"norm", "r"}), "Known: norm, r");
    EXPECT_EQ(suggestion("x", {}), "no value is possible here");
}

}  // namespace
}  // namespace heddle
