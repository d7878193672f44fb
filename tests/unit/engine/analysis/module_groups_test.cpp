// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/module_groups.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(GroupedShares, AreWeighedByParameters) {
    EXPECT_EQ(moduleGroup("encoder.layers.0.self.adjuster"), "encoder.adjuster");
    EXPECT_EQ(moduleGroup("embed.source"), "embedding");
    EXPECT_EQ(moduleGroup("head"), "head");
    const std::map<std::string, double> shares{{"", 0.3},
                                               {"encoder.layers.0.ffn.ffn", 0.1},
                                               {"encoder.layers.1.ffn.ffn", 0.5},
                                               {"head", 0.2},
                                               {"decoder.layers.0.self.scorer", 0.4}};
    const auto weighted = groupedShares(shares, {{"encoder.layers.0.ffn.ffn", 300},
                                                 {"encoder.layers.1.ffn.ffn", 100},
                                                 {"head", 10},
                                                 {"decoder.layers.0.self.scorer", 10}});
    ASSERT_EQ(weighted.groups.size(), 3u);
    EXPECT_TRUE(weighted.weighted);
    EXPECT_EQ(weighted.groups[0].name, "encoder.ffn");
    EXPECT_DOUBLE_EQ(weighted.groups[0].share, 0.2);
    EXPECT_EQ(weighted.groups[1].name, "decoder.scorer");
    EXPECT_EQ(weighted.groups[2].name, "head");
    const auto plain = groupedShares(shares, {});
    EXPECT_FALSE(plain.weighted);
    EXPECT_DOUBLE_EQ(plain.groups[0].share, 0.3);
    const auto old = groupedShares({{"", 0.3}}, {});
    ASSERT_EQ(old.groups.size(), 1u);
    EXPECT_EQ(old.groups[0].name, "whole model");
}

}  // namespace
}  // namespace heddle
