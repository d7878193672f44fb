// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/slot_site.h"

#include "engine/base/error.h"
#include "engine/spec/diff.h"
#include "engine/spec/variant_spec.h"

#include <gmock/gmock.h>

namespace heddle {
namespace {

std::vector<std::string> names(const Json& variant, const std::string& stack) {
    const ResolvedVariant resolved = VariantSpec::parse(variant, builtinCatalogue()).resolve(10, 10);
    std::vector<std::string> found;
    for (const auto& sublayer : layersOf(resolved, stack).back().sublayers) found.push_back(sublayer.name);
    return found;
}

TEST(SublayerOrder, IsWrittenIntoTheListAndKeepsWhatIsSaid) {
    Json variant = R"({"preset":"eau-full","dims":{"layers_enc":2},
                       "encoder":{"layers":{"1":{"self":{"residual":{"kind":"add"}}}}}})"_json;
    const Json tree = VariantSpec::parse(variant, builtinCatalogue()).resolvedTree();
    const auto hash = VariantSpec::parse(variant, builtinCatalogue()).hash();
    moveSublayer(variant, {"encoder", "ffn"}, 0);
    EXPECT_THAT(names(variant, "encoder"), testing::ElementsAre("ffn", "self"));
    const Json moved = VariantSpec::parse(variant, builtinCatalogue()).resolvedTree();
    const auto differences = diffDocuments({tree, moved});
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences.front().path, "encoder.sublayers");
    EXPECT_THAT(differences.front().values, testing::ElementsAre(R"(["self","ffn"])"_json, R"(["ffn","self"])"_json));
    EXPECT_NE(VariantSpec::parse(variant, builtinCatalogue()).hash(), hash);
    moveSublayer(variant, {"encoder", "ffn"}, 1);
    EXPECT_EQ(VariantSpec::parse(variant, builtinCatalogue()).hash(), hash);
}

TEST(SublayerOrder, ListsThatAreWrittenKeepTheirSlots) {
    Json variant = R"({"decoder":{"sublayers":[{"name":"self"},{"name":"cross","residual":"grc"},{"name":"ffn"}]}})"_json;
    moveSublayer(variant, {"decoder", "cross"}, 2);
    EXPECT_EQ(variant, R"({"decoder":{"sublayers":[{"name":"self"},{"name":"ffn"},{"name":"cross","residual":"grc"}]}})"_json);
    EXPECT_THAT(names(variant, "decoder"), testing::ElementsAre("self", "ffn", "cross"));
}

TEST(SublayerOrder, WhatIsNotThereIsRefused) {
    Json variant = R"({"topology":"encoder"})"_json;
    const Json before = variant;
    EXPECT_THROW(moveSublayer(variant, {"encoder", "cross"}, 0), Error);
    EXPECT_THROW(moveSublayer(variant, {"encoder", "self"}, 2), Error);
    EXPECT_THROW(moveSublayer(variant, {"encoder", "self"}, -1), Error);
    variant["encoder"]["sublayers"] = "self";
    EXPECT_THROW(moveSublayer(variant, {"encoder", "self"}, 0), Error);
    variant.erase("encoder");
    EXPECT_EQ(variant, before);
}

}  // namespace
}  // namespace heddle
