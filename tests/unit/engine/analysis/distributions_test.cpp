// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/distributions.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// The expected values are exact: those of Python's math.comb().
TEST(Combinations, AreExactWhereADoubleIs) {
    EXPECT_EQ(combinations(4, 0), 1);
    EXPECT_EQ(combinations(6, 3), 20);
    EXPECT_EQ(combinations(52, 5), 2598960);
    EXPECT_EQ(combinations(40, 20), 137846528820);
    EXPECT_NEAR(combinations(100, 50) / 1.0089134454556420e29, 1, 1e-14);
}

}  // namespace
}  // namespace heddle
