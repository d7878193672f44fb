// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/layer_pattern.h"

#include "engine/spec/catalogue.h"
#include "engine/spec/variant_spec.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LayerPattern, IsANumberOrASlice) {
    const auto layersOf8 = [](const std::string& text) {
        std::vector<int> layers;
        const auto pattern = layerPattern(text);
        for (int layer = 0; pattern && layer < 8; ++layer)
            if (pattern->holds(layer)) layers.push_back(layer);
        return layers;
    };
    EXPECT_THAT(layersOf8("3"), ElementsAre(3));
    EXPECT_THAT(layersOf8("0::3"), ElementsAre(0, 3, 6));
    EXPECT_THAT(layersOf8("5::2"), ElementsAre(5, 7));
    for (const char* none : {"", "x", "-1", "03", "1::", "::2", "0::0", "0::-1", "0:3", "1::2::3", "0::02"})
        EXPECT_FALSE(layerPattern(none)) << none;
}

Json masked(const Json& layers) {
    return {{"topology", "decoder"}, {"dims", {{"layers_dec", 5}, {"vocab_tgt", 9}}}, {"decoder", {{"layers", layers}}}};
}

std::vector<std::string> masksOf(const Json& document) {
    std::vector<std::string> masks;
    for (const ResolvedLayer& layer : VariantSpec::parse(document, builtinCatalogue()).resolve().decoder)
        masks.push_back(layer.sublayers.front().slots.at("mask").id);
    return masks;
}

TEST(LayerPattern, HoldsForTheLayersThatThereAre) {
    const Json sliding{{"self", {{"mask", "sliding"}}}}, none{{"self", {{"mask", "padding_causal"}}}};
    const Json alternating = masked({{"1::2", sliding}, {"3", none}});
    EXPECT_THAT(masksOf(alternating), ElementsAre("causal", "sliding", "causal", "padding_causal", "causal"))
        << "what is said of one layer holds against what is said of many";
    EXPECT_EQ(VariantSpec::parse(alternating, builtinCatalogue()).hash(),
              VariantSpec::parse(masked({{"1", sliding}, {"3", none}}), builtinCatalogue()).hash());
    EXPECT_THAT(problemsOf(masked({{"7::2", sliding}})), IsEmpty()) << "a shallower stack has none of them";
    EXPECT_THAT(problemsOf(masked({{"7", sliding}})), HasSubstr("there is no layer 7"));
    EXPECT_THAT(problemsOf(masked({{"0::x", sliding}})), HasSubstr("there is no layer 0::x"));
    EXPECT_THAT(problemsOf(masked({{"0::2", {{"self", {{"mask", "slding"}}}}}})),
                AllOf(HasSubstr("decoder.layers.0::2.self.mask"), HasSubstr("sliding")));
}

}  // namespace
}  // namespace heddle
