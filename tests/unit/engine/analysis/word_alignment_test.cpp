// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/word_alignment.h"

#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using ::testing::HasSubstr;

TEST(WordAlignment, ReadsSureAndPossibleLinks) {
    const GoldAlignment gold = parseAlignment(" 0-0 1?2  12p3 ", "gold.txt:1");
    EXPECT_EQ(gold.sure, (std::set<WordLink>{{0, 0}}));
    EXPECT_EQ(gold.possible, (std::set<WordLink>{{0, 0}, {1, 2}, {12, 3}}));
    EXPECT_TRUE(parseAlignment("", "gold.txt:2").possible.empty());
    for (const char* wrong : {"0", "0-", "-1", "a-1", "0-1x", "0:1", "0--1"})
        EXPECT_THAT(whyRefused([&] { parseAlignment(wrong, "gold.txt:7"); }), HasSubstr("gold.txt:7")) << wrong;
}

/// Counted by hand: A = {0-0, 1-1, 2-0}, S = {0-0, 1-2}, P = S and 2-0.
TEST(WordAlignment, ErrorRateCountsSureAndPossibleLinks) {
    AlignmentCounts counts;
    EXPECT_TRUE(std::isnan(counts.errorRate()));
    counts.add({{0, 0}, {1, 1}, {2, 0}}, parseAlignment("0-0 1-2 2?0", "gold"));
    EXPECT_EQ(counts.links, 3);
    EXPECT_EQ(counts.sure, 2);
    EXPECT_DOUBLE_EQ(counts.errorRate(), 1 - (1 + 2) / 5.0);
    AlignmentCounts right;
    right.add({{0, 0}, {1, 2}}, parseAlignment("0-0 1-2", "gold"));
    EXPECT_EQ(right.errorRate(), 0);
}

}  // namespace
}  // namespace heddle
