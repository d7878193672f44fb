// SPDX-License-Identifier: Apache-2.0
#include "engine/base/number_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

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

TEST(NumberText, TellsHowManyDigitsItWrites) {
    for (const double value : {0.0, 0.0065, 9.5, 31.25, 999.5, 1234.5}) {
        const std::string text = numberText(value);
        EXPECT_EQ(int(text.size() - text.find('.') - 1), decimalsOf(-value)) << text;
    }
    EXPECT_EQ(decimalsOf(0.00012345), 7) << "0.0001235";
}

}  // namespace
}  // namespace heddle
