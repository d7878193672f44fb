// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/diff.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Diff, ListsUnequalLeavesSortedWithNullWhereAbsent) {
    const Json a{{"train", {{"lr", 1e-3}, {"clip", 1}}}, {"seed", 1}, {"betas", {0.9, 0.98}}};
    const Json b{{"train", {{"lr", 5e-4}, {"clip", 1.0}}}, {"seed", 1}, {"betas", {0.9, 0.999}}, {"name", "b"}};
    const auto differences = diffDocuments({a, b, a});
    ASSERT_EQ(differences.size(), 3u);
    EXPECT_EQ(differences[0].path, "betas");
    EXPECT_EQ(differences[0].values, (std::vector<Json>{{0.9, 0.98}, {0.9, 0.999}, {0.9, 0.98}}));
    EXPECT_EQ(differences[1].path, "name");
    EXPECT_EQ(differences[1].values, (std::vector<Json>{nullptr, "b", nullptr}));
    EXPECT_EQ(differences[2].path, "train.lr");
    EXPECT_EQ(differences[2].values, (std::vector<Json>{1e-3, 5e-4, 1e-3}));
}

TEST(Diff, DifferenceInTheLastDocumentOnly) {
    const auto differences = diffDocuments({R"({"a":1})"_json, R"({"a":1})"_json, R"({"a":2})"_json});
    ASSERT_EQ(differences.size(), 1u);
    EXPECT_EQ(differences[0].values, (std::vector<Json>{1, 1, 2}));
}

TEST(Diff, ShapesMayDiffer) {
    const auto differences = diffDocuments({R"({"a":{"b":1}})"_json, R"({"a":2})"_json, R"({"a":{}})"_json});
    ASSERT_EQ(differences.size(), 2u);
    EXPECT_EQ(differences[0].path, "a");
    EXPECT_EQ(differences[0].values, (std::vector<Json>{nullptr, 2, Json::object()}));
    EXPECT_EQ(differences[1].path, "a.b");
}

TEST(Diff, WhatRepeatsFromLayerToLayerTakesOneLine) {
    const std::vector<Json> grc{"add", "grc"}, eau{"none", "eau"};
    const auto joined = joinLayers({{"encoder.layers.0.self.residual.kind", grc},
                                    {"encoder.layers.0.self.adjuster.kind", eau},
                                    {"encoder.layers.1.self.residual.kind", grc},
                                    {"encoder.layers.1.self.adjuster.kind", {"none", "x"}},
                                    {"decoder.layers.1.self.residual.kind", grc},
                                    {"train.lr", {1, 2}}});
    std::vector<std::string> paths;
    for (const auto& line : joined) paths.push_back(line.path);
    EXPECT_EQ(paths, (std::vector<std::string>{"encoder.layers.0,1.self.residual.kind", "encoder.layers.0.self.adjuster.kind",
                                               "encoder.layers.1.self.adjuster.kind", "decoder.layers.1.self.residual.kind",
                                               "train.lr"}));
    EXPECT_EQ(joined[0].values, grc);
}

TEST(Diff, EqualOrFewDocumentsDoNotDiffer) {
    EXPECT_TRUE(diffDocuments({}).empty());
    EXPECT_TRUE(diffDocuments({R"({"a":1})"_json}).empty());
    EXPECT_TRUE(diffDocuments({R"({"a":1,"b":{"c":2}})"_json, R"({"b":{"c":2},"a":1.0})"_json}).empty());
}

}  // namespace
}  // namespace heddle
