// SPDX-License-Identifier: Apache-2.0
#include "app/cli/terminal.h"

#include "engine/base/printable.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::app {
namespace {

TEST(Terminal, TextIsSafeAndAligned) {
    EXPECT_EQ(cut("grüne Äpfel", 6), "grüne…");
    EXPECT_EQ(durationText(42), "42 s");
    EXPECT_EQ(durationText(187), "3:07");
    EXPECT_EQ(durationText(7385), "2:03:05");
    EXPECT_EQ(countText(1234567), "1,234,567");
    EXPECT_EQ(countText(-999), "-999");
    EXPECT_EQ(numberText(std::nan("")), "nan");
    EXPECT_EQ(Table({"a", "b"}).right({1}).text(), "a  b\n");
    Table table({"name", "n"});
    table.right({1}).add({"ö", "100"});
    EXPECT_EQ(table.text(), "name    n\nö     100\n");
    Table hostile({"a\x1b", "b"});
    hostile.add({"x\ny", "z"});
    EXPECT_EQ(hostile.text(), "a\\x1B   b\nx\\x0Ay  z\n");
}

}  // namespace
}  // namespace heddle::app
