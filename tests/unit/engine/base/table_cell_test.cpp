// SPDX-License-Identifier: Apache-2.0
#include "engine/base/table_cell.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(TableCell, FormulasAreText) {
    for (const char* const formula : {"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "  =1", "-", "=5"})
        EXPECT_EQ(tableCell(formula).front(), '\'') << formula;
    for (const char* const text : {"-0.5", "+3", "-1e-05", "-inf", "a=b", "", "'=", "5 - 3"}) EXPECT_EQ(tableCell(text), text);
}

TEST(TableCell, SeparatorsBecomeSpaces) { EXPECT_EQ(tableCell("a\tb\nc\rd"), "a b c d"); }

}  // namespace
}  // namespace heddle
