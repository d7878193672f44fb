// SPDX-License-Identifier: Apache-2.0
#include "engine/base/number_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle {
namespace {

TEST(NumberText, OfASignedNumberHasASignUnlessItIsNone) {
    EXPECT_EQ(signedNumberText(0.25), "+0.2500");
    EXPECT_EQ(signedNumberText(-0.25), "−0.2500");
    EXPECT_EQ(signedNumberText(0), "+0.0000");
    EXPECT_EQ(signedNumberText(-std::numeric_limits<double>::infinity()), "−inf");
    EXPECT_EQ(signedNumberText(std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(signedNumberText(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

}  // namespace
}  // namespace heddle
