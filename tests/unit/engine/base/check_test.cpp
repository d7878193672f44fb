// SPDX-License-Identifier: Apache-2.0
#include "engine/base/check.h"

#include "engine/base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

TEST(Check, ThrowsConditionFileAndLineInEveryBuild) {
    int evaluations = 0;
    EXPECT_NO_THROW(HEDDLE_CHECK(++evaluations == 1));
    const int line = __LINE__ + 2;
    try {
        HEDDLE_CHECK(++evaluations == 1);
        FAIL() << "a false condition passed";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Failure);
        EXPECT_NE(error.problem().find("++evaluations == 1"), std::string::npos) << error.problem();
        EXPECT_EQ(error.where(), "tests/unit/engine/base/check_test.cpp:" + std::to_string(line));
        EXPECT_EQ(error.next(), kReportBug);
    }
    EXPECT_EQ(evaluations, 2) << "a condition is evaluated once";
}

}  // namespace
}  // namespace heddle
