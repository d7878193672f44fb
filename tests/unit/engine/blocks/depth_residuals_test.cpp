// SPDX-License-Identifier: Apache-2.0
// Residual blocks whose sublayers read more than the stream: golden cases of x-transformers' own layers, what starts or stays
// as a plain residual connection, and what they do not fit. residuals_test has what they share with the other blocks.
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/blocks/block_checks.h"
#include "tests/unit/engine/blocks/residual_stack.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::buildTiny;
using testing_support::distance;
using testing_support::refusalOf;
using testing_support::streamOf;
using testing_support::words;

/// AttentionLayers of x-transformers, with its flags macaron, reinject_input, unet_skips, integrate_layers and residual
/// streams.
TEST(DepthGolden, FormsAreThoseOfXTransformers) { testing_support::expectFormsOf("depth.json", 8); }

/// A language model of four pre-norm layers with these residuals of attention and feed-forward network.
Json layersWith(const Json& ofAttention, const Json& ofNetwork) {
    Json document{{"topology", "decoder"},
                  {"dims", {{"layers_dec", 4}}},
                  {"defaults", {{"norm", {{"kind", "layernorm"}, {"place", "pre"}, {"final", 1}}}}}};
    document["decoder"]["sublayers"] = {Json{{"name", "self"}, {"residual", ofAttention}},
                                        Json{{"name", "ffn"}, {"residual", ofNetwork}}};
    return document;
}

/// Sets the maps of the residual blocks: W = left · 1, or [left · 1, right · 1] where it reads two states.
void setMaps(const Model& model, double left, double right) {
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : model.parameters().entries()) {
        if (path.find(".residual.") == std::string::npos) continue;
        const at::Tensor one = at::eye(tensor.size(0), at::kDouble);
        at::Tensor(tensor).copy_(tensor.size(1) == tensor.size(0) ? one * left : at::cat({one * left, one * right}, 1));
    }
}

TEST(InputReinjection, OfNothingIsAResidualSum) {
    const auto model = buildTiny(layersWith("reinject", "reinject")), plain = buildTiny(layersWith("add", "add"));
    testing_support::copyShared(*model, *plain);
    EXPECT_GT(distance(streamOf(*model, words()), streamOf(*plain, words())), 1e-3);
    setMaps(*model, 0, 0);
    EXPECT_EQ(distance(streamOf(*model, words()), streamOf(*plain, words())), 0);
}

TEST(InputReinjection, HasOneProjectionAStackWhereverItStands) {
    const std::int64_t plain = countCost(testing_support::resolveTiny(layersWith("add", "add"))).parameters;
    const auto more = [&](const Json& document) {
        const auto model = buildTiny(document);
        EXPECT_EQ(model->parameters().count(), countCost(model->variant()).parameters) << document;
        return model->parameters().count() - plain;
    };
    const Json gated{{"kind", "reinject"}, {"gate", true}};
    EXPECT_EQ(more(layersWith("reinject", "reinject")), 16 * 16);
    EXPECT_EQ(more(layersWith(gated, gated)), 16 * 16 + 16);
    EXPECT_EQ(more(layersWith("add", "reinject")), 16 * 16);
}

/// Every pass of the shared layer reads the one projection of the stack's input.
TEST(InputReinjection, WorksWithLayersThatShareWeights) {
    Json document = layersWith("reinject", "reinject"), distinct = document;
    document["decoder"]["share"] = "shared";
    const auto model = buildTiny(document), copies = buildTiny(distinct);
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : copies->parameters().entries()) {
        std::string own = path;
        if (const auto at = own.find(".layers."); at != std::string::npos) own[at + 8] = '0';
        at::Tensor(tensor).copy_(model->parameters().find(own));
    }
    EXPECT_LT(distance(streamOf(*model, words()), streamOf(*copies, words())), 1e-12);
}

TEST(UnetSkips, OfTheStreamAloneAreAResidualSum) {
    const auto model = buildTiny(layersWith("unet", "add")), plain = buildTiny(layersWith("add", "add"));
    testing_support::copyShared(*model, *plain);
    setMaps(*model, 0, 1);
    EXPECT_LT(distance(streamOf(*model, words()), streamOf(*plain, words())), 1e-12);
    setMaps(*model, 0.5, 1);
    EXPECT_GT(distance(streamOf(*model, words()), streamOf(*plain, words())), 1e-3);
}

TEST(UnetSkips, JoinTheSecondHalfOfTheLayers) {
    for (const std::int64_t layers : {1, 2, 3, 5}) {
        Json document = layersWith("unet", "add");
        document["dims"]["layers_dec"] = layers;
        const auto model = buildTiny(document);
        for (std::int64_t layer = 0; layer < layers; ++layer) {
            const std::string path = "decoder.layers." + std::to_string(layer) + ".self.residual.combine.weight";
            EXPECT_EQ(model->parameters().find(path).defined(), 2 * layer >= layers) << path << " of " << layers;
        }
        EXPECT_TRUE(at::isfinite(streamOf(*model, words())).all().item<bool>());
    }
}

/// Sets the weights of every mixture: of the last state, the stream, or of all states alike.
void setWeights(const Model& model, bool ofTheStreamAlone) {
    const at::NoGradGuard noGrad;
    std::int64_t states = 1;
    for (const ResolvedSublayer* sublayer : sublayersOf(model.variant())) {
        const std::string path = sublayer->path + ".residual.map.";
        if (const at::Tensor bias = model.parameters().find(path + "bias"); bias.defined()) {
            model.parameters().find(path + "weight").zero_();
            bias.view({-1, states}).zero_().select(1, states - 1).fill_(ofTheStreamAlone ? 60.0 : 0.0);
        }
        ++states;
    }
}

TEST(LayerIntegratedMemory, OfTheStreamAloneIsAResidualSum) {
    const auto model = buildTiny(layersWith("lime", "lime")), plain = buildTiny(layersWith("add", "add"));
    testing_support::copyShared(*model, *plain);
    EXPECT_GT(distance(streamOf(*model, words()), streamOf(*plain, words())), 1e-3);
    setWeights(*model, true);
    EXPECT_LT(distance(streamOf(*model, words()), streamOf(*plain, words())), 1e-12);
}

/// Keys, queries and values have weights of their own from the second layer on.
TEST(LayerIntegratedMemory, FeedsQueriesKeysAndValuesApart) {
    const auto model = buildTiny(layersWith("lime", "lime"));
    const std::string path = "decoder.layers.2.self.residual.map.";
    EXPECT_EQ(model->parameters().find(path + "weight").sizes(), (at::IntArrayRef{15, 16}));
    EXPECT_EQ(model->parameters().find("decoder.layers.2.ffn.residual.map.weight").sizes(), (at::IntArrayRef{6, 16}));
    EXPECT_FALSE(model->parameters().find("decoder.layers.0.self.residual.map.weight").defined());
    setWeights(*model, true);
    const at::NoGradGuard noGrad;
    const at::Tensor before = streamOf(*model, words());
    const at::Tensor bias_VL = model->parameters().find(path + "bias").view({3, 5});
    const auto apart = [&](std::int64_t view) {
        bias_VL[view].copy_(bias_VL[view].flip(0));  // the first state in place of the stream
        const double moved = distance(streamOf(*model, words()), before);
        bias_VL[view].copy_(bias_VL[view].flip(0));
        return moved;
    };
    EXPECT_EQ(distance(streamOf(*model, words()), before), 0);
    const double ofQueries = apart(0), ofKeys = apart(1), ofValues = apart(2);
    EXPECT_GT(ofQueries, 1e-6);
    EXPECT_GT(ofKeys, 1e-6);
    EXPECT_GT(ofValues, 1e-3) << "values change more than weights do";
    EXPECT_NE(ofQueries, ofKeys);
}

/// With the same weights for all three, attention is that to one mixture: the three paths agree with the joint product.
TEST(LayerIntegratedMemory, GivesAttentionOfOneMixtureWhereWeightsAgree) {
    for (const Json& attention :
         {Json{{"name", "self"}}, Json{{"name", "self"}, {"normaliser", "sink"}},
          Json{{"name", "self"}, {"value_carry", "first_layer"}}, Json{{"name", "self"}, {"score", "add"}}}) {
        Json document = layersWith("lime", "lime");
        document["decoder"]["sublayers"][0].update(attention);
        const auto model = buildTiny(document);
        testing_support::expectSameOnEveryPathAndByStep(*model, 1e-11);
        setWeights(*model, true);
        document["decoder"]["sublayers"][0]["residual"] = "add";
        document["decoder"]["sublayers"][1]["residual"] = "add";
        const auto plain = buildTiny(document);
        testing_support::copyShared(*plain, *model);
        EXPECT_LT(distance(streamOf(*model, words()), streamOf(*plain, words())), 1e-12) << attention;
    }
}

TEST(LayerIntegratedMemory, OfReluWeightsMayReadNothing) {
    const Json relu{{"kind", "lime"}, {"weights", "relu"}};
    const auto model = buildTiny(layersWith(relu, relu));
    EXPECT_EQ(model->parameters().count(), countCost(model->variant()).parameters);
    EXPECT_TRUE(model->parameters().find("decoder.layers.0.self.residual.map.weight").defined());
    testing_support::expectSameOnEveryPathAndByStep(*model, 1e-11);
}

TEST(DepthResiduals, SayWhatTheyDoNotFit) {
    EXPECT_THAT(refusalOf(layersWith("unet", "add")), IsEmpty());
    EXPECT_THAT(refusalOf(layersWith("lime", "unet")), HasSubstr("all sublayers of a stack"));
    EXPECT_THAT(refusalOf(layersWith("unet", "unet")), HasSubstr("one sublayer of every layer"));
    Json skipped = layersWith("add", "add");
    skipped["decoder"]["layers"]["2"]["self"]["residual"] = "unet";
    EXPECT_THAT(refusalOf(skipped), HasSubstr("one sublayer of every layer"));
    EXPECT_THAT(refusalOf(layersWith("reinject", Json{{"kind", "reinject"}, {"gate", true}})), HasSubstr("one projection"));
    EXPECT_THAT(refusalOf(layersWith("reinject", "dense")), HasSubstr("all sublayers of a stack"));
    for (const char* kind : {"unet", "lime"}) {
        Json shared = layersWith(kind, "add");
        shared["decoder"]["share"] = "shared";
        EXPECT_THAT(refusalOf(shared), HasSubstr("use share distinct")) << kind;
    }
    Json fixedPoint = layersWith("reinject", "reinject");
    fixedPoint["decoder"]["share"] = "fixed_point";
    EXPECT_THAT(refusalOf(fixedPoint), HasSubstr("a fixed point does not depend"));
}

}  // namespace
}  // namespace heddle
