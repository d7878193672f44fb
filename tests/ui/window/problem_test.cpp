// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/problem.h"
#include "engine/base/error.h"

#include <gtest/gtest.h>

namespace heddle::ui {
namespace {

TEST(ProblemWords, AreThoseOfTheCommandLine) {
    const Error error(ErrorCode::InvalidInput, "file not found", "valid.en", "check the path");
    EXPECT_EQ(wordsOf(problemOf(error)).toStdString(), error.what());
}

}  // namespace
}  // namespace heddle::ui
