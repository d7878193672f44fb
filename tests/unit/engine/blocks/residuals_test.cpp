// SPDX-License-Identifier: Apache-2.0
// Residual connections by depth, over several streams and over states of earlier layers: their golden cases, and properties
// that hold for all numbers.
#include "engine/base/json.h"
#include "engine/blocks/streams.h"
#include "engine/device/precision.h"
#include "engine/device/torch_pch.h"
#include "engine/model/intervened_model.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/cost.h"
#include "engine/spec/variant_rules.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/blocks/block_checks.h"
#include "tests/unit/engine/blocks/residual_stack.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::buildTiny;
using testing_support::distance;
using testing_support::expectFutureHidden;
using testing_support::expectSameOnEveryPathAndByStep;
using testing_support::ids;
using testing_support::kFinalPreNorm;
using testing_support::refusalOf;
using testing_support::resolveTiny;
using testing_support::streamOf;
using testing_support::withResidual;
using testing_support::words;

TEST(ResidualsGolden, EveryFormIsTheOneWorkedOutByTheOracle) { testing_support::expectFormsOf("residual.json", 10); }

/// The same with the residual on the last sublayer of every layer alone.
Json onFeedForward(const Json& residual) {
    Json document = withResidual("add");
    document["decoder"]["sublayers"] = {Json{{"name", "self"}}, Json{{"name", "ffn"}, {"residual", residual}}};
    return document;
}

/// On the first sublayer of every layer alone.
Json onAttention(const Json& residual, const Json& norm = kFinalPreNorm) {
    Json document = withResidual("add", norm);
    document["dims"]["layers_dec"] = 4;
    document["decoder"]["sublayers"] = {Json{{"name", "self"}, {"residual", residual}}, Json{{"name", "ffn"}}};
    return document;
}

/// Moves every parameter away from its start, where gates of 0 would hide a mistake.
void stirAll(Model& model) {
    const at::NoGradGuard noGrad;
    std::uint64_t i = 0;
    for (const auto& [path, tensor] : model.parameters().entries())
        tensor.add_(verify::normalTensor(tensor.sizes(), ++i) * 0.1);
}

std::vector<Json> residualModels() {
    const Json still{{"kind", "hyper"}, {"form", "static"}, {"streams", 2}}, blocks{{"kind", "attn_res"}, {"block", 4}};
    const Json post{{"kind", "layernorm"}, {"place", "post"}};
    const Json apart{{"kind", "hyper"}, {"views", "qkv"}}, manifold{{"kind", "mhc"}, {"views", "qkv"}};
    return {withResidual("deepnorm", post),
            withResidual(apart),
            withResidual(manifold),
            withResidual("hyper"),
            withResidual(still),
            withResidual("mhc"),
            withResidual("dense"),
            onFeedForward("dense"),
            onFeedForward("mudd"),
            withResidual("attn_res"),
            withResidual(blocks),
            withResidual("reinject"),
            withResidual(Json{{"kind", "reinject"}, {"gate", true}}, post),
            onAttention("unet"),
            onAttention("unet", post),
            withResidual("lime"),
            withResidual("lime", post),
            onFeedForward("lime"),
            withResidual("keel", {{"kind", "layernorm"}, {"place", "both"}})};
}

class ResidualBlock : public ::testing::TestWithParam<Json> {};
INSTANTIATE_TEST_SUITE_P(All, ResidualBlock, ::testing::ValuesIn(residualModels()));

TEST_P(ResidualBlock, IsTheSameFusedByReferenceAndStepByStep) {
    const auto model = buildTiny(GetParam());
    stirAll(*model);
    expectSameOnEveryPathAndByStep(*model, 1e-11);
}

TEST_P(ResidualBlock, IsCountedAndLearns) {
    const ResolvedVariant variant = resolveTiny(GetParam());
    const auto model = buildModel(variant, 1, at::kDouble);
    EXPECT_EQ(model->parameters().count(), countCost(variant).parameters);
    stirAll(*model);
    streamOf(*model, words(), {.training = true}).square().sum().backward();
    for (const auto& [path, tensor] : model->parameters().entries()) {
        // Rows of a doubly stochastic matrix sum to 1, so that it mixes equal streams to the same, as in the first sublayer.
        const bool mixesEqualStreams = path.ends_with("layers.0.self.residual.mix");
        if (path.find(".residual.") == std::string::npos || mixesEqualStreams) continue;
        EXPECT_GT(tensor.grad().abs().max().item<double>(), 1e-12) << path;
    }
}

TEST_P(ResidualBlock, LeavesTheFutureHidden) {
    const auto model = buildTiny(GetParam());
    stirAll(*model);
    expectFutureHidden(*model);
}

/// Each exposure has the axes and the range that its descriptor states.
TEST_P(ResidualBlock, ShowsItsExposuresWithTheStatedAxes) {
    const auto model = buildTiny(GetParam());
    RecordingTaps taps;
    const at::Tensor y = streamOf(*model, words(), {.taps = &taps});
    EXPECT_EQ(distance(y, streamOf(*model, words())), 0) << "watching changes nothing";
    for (const ModuleExposure& one : exposuresOf(model->variant())) {
        if (!one.module.ends_with(".residual")) continue;
        ASSERT_TRUE(taps.seen().contains(one.path())) << one.path();
        const at::Tensor& value = taps.seen().at(one.path());
        EXPECT_EQ(value.dim(), std::ssize(one.exposure.axes)) << one.path();
        const bool isOfPositions = one.exposure.axes.starts_with("BS");
        EXPECT_EQ(isOfPositions, value.dim() > 1 && value.size(0) == 1 && value.size(1) == 8) << one.path();
        EXPECT_LE(one.exposure.low, value.min().item<double>()) << one.path();
        EXPECT_GE(one.exposure.high, value.max().item<double>()) << one.path();
    }
}

/// Clamped weights and a cut sublayer change the output; weights of another example leave it finite.
TEST_P(ResidualBlock, LetsInterventionsAct) {
    const auto model = buildTiny(GetParam());
    stirAll(*model);
    const at::NoGradGuard noGrad;
    const at::Tensor read = at::cat({words(), ids({2, 9, 4, 12, 3, kPad, kPad, kPad})});
    const at::Tensor plain = streamOf(*model, read);
    const auto apart = [&](const Intervention& intervention) {
        const at::Tensor y = streamOf(IntervenedModel(*model, {intervention}), read);
        EXPECT_TRUE(at::isfinite(y).all().item<bool>());
        return distance(y, plain);
    };
    for (const ModuleExposure& one : exposuresOf(model->variant())) {
        if (!one.module.ends_with(".residual") || !one.exposure.clampable) continue;
        EXPECT_GT(apart(ClampExposure{one.path(), 0.3}), 1e-9) << one.path();
        EXPECT_TRUE(!isReplaceable(one.exposure) || apart(ResampleOutput{one.path()}) >= 0) << one.path();
    }
    for (const ResolvedSublayer* sublayer : sublayersOf(model->variant()))
        EXPECT_GT(apart(IdentityResidual{sublayer->path}), 1e-6) << sublayer->path;
}

TEST_P(ResidualBlock, AddsToTheStreamsInFloat32UnderAutocast) {
    const auto model = buildTiny(GetParam(), at::kFloat);
    stirAll(*model);
    const at::Tensor exact = streamOf(*model, words());
    const AutocastScope autocast(at::kCPU, Precision::BFloat16);
    const at::Tensor y = streamOf(*model, words());
    EXPECT_EQ(y.scalar_type(), at::kFloat);
    EXPECT_LT(distance(y, exact), 0.2);
    y.square().sum().backward();
    for (const auto& [path, tensor] : model->parameters().entries()) {
        const bool isOfResidual = path.find(".residual.") != std::string::npos;
        EXPECT_TRUE(!isOfResidual || at::isfinite(tensor.grad()).all().item<bool>()) << path;
    }
}

/// Models that start as a plain residual connection in pre-norm, with their distance from it.
TEST(Residuals, StartAsPreNorm) {
    const auto plain = buildTiny(withResidual("add"));
    const Json one{{"kind", "hyper"}, {"streams", 1}}, still{{"kind", "hyper"}, {"form", "static"}};
    const Json apart{{"kind", "hyper"}, {"views", "qkv"}};
    for (const auto& [document, tolerance] : {std::pair{withResidual(one), 1e-12},
                                              {withResidual("hyper"), 1e-4},
                                              {withResidual(still), 1e-4},
                                              {withResidual(apart), 1e-4},
                                              {withResidual("dense"), 0.0},
                                              {onFeedForward("dense"), 0.0},
                                              {onFeedForward("mudd"), 0.0}}) {
        const auto model = buildTiny(document);
        testing_support::copyShared(*model, *plain);
        EXPECT_LE(distance(streamOf(*model, words()), streamOf(*plain, words())), tolerance) << document;
    }
    const auto mhc = buildTiny(withResidual("mhc"));
    testing_support::copyShared(*mhc, *plain);
    EXPECT_LT(distance(streamOf(*mhc, words()), streamOf(*plain, words())), 0.1) << "but for its random map";
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : mhc->parameters().entries())
        if (path.ends_with("residual.map.weight")) tensor.zero_();
    EXPECT_LT(distance(streamOf(*mhc, words()), streamOf(*plain, words())), 1e-4);
}

TEST(HyperConnections, ReadTheStreamsInTurn) {
    const auto model = buildTiny(withResidual({{"kind", "hyper"}, {"streams", 4}}));
    std::int64_t k = 0;
    for (const ResolvedSublayer* sublayer : sublayersOf(model->variant())) {
        const at::Tensor read_N = model->parameters().find(sublayer->path + ".residual.read");
        EXPECT_EQ(read_N.argmax().item<std::int64_t>(), k++ % 4) << sublayer->path;
        EXPECT_EQ(read_N.sum().item<double>(), 1);
    }
}

TEST(Residuals, OverStreamsMayFeedQueriesKeysAndValuesApart) {
    for (const char* kind : {"hyper", "mhc"}) {
        const auto model = buildTiny(withResidual({{"kind", kind}, {"streams", 2}, {"views", "qkv"}}));
        stirAll(*model);
        const at::Tensor read_VN = model->parameters().find("decoder.layers.1.self.residual.read");
        EXPECT_EQ(read_VN.sizes(), (at::IntArrayRef{3, 2})) << kind;
        EXPECT_EQ(model->parameters().find("decoder.layers.1.ffn.residual.read").sizes(), (at::IntArrayRef{2})) << kind;
        const at::NoGradGuard noGrad;
        const at::Tensor before = streamOf(*model, words()), kept_VN = read_VN.clone();
        const auto movedBy = [&](std::int64_t view) {
            read_VN[view].copy_(read_VN[view].flip(0) + 0.5);
            const at::Tensor by_S = (streamOf(*model, words()) - before).abs().amax(-1).squeeze(0);
            read_VN.copy_(kept_VN);
            return by_S;
        };
        const at::Tensor queries_S = movedBy(0), keys_S = movedBy(1), values_S = movedBy(2);
        EXPECT_GT(distance(queries_S, keys_S), 1e-8) << kind;
        for (const at::Tensor& by_S : {queries_S, keys_S}) {
            EXPECT_GT(by_S.max().item<double>(), 1e-8) << kind;
            EXPECT_LT(by_S[0].item<double>(), 1e-12) << kind << ": the first word attends to itself alone";
        }
        EXPECT_GT(values_S[0].item<double>(), 1e-8) << kind;
    }
}

TEST(Mhc, MixesByADoublyStochasticMatrix) {
    const auto model = buildTiny(withResidual({{"kind", "mhc"}, {"streams", 3}}));
    stirAll(*model);
    RecordingTaps taps;
    streamOf(*model, words(), {.taps = &taps});
    for (const std::string layer : {"0.self", "1.ffn", "2.ffn"}) {
        const at::Tensor& mix_BSNN = taps.seen().at("decoder.layers." + layer + ".residual.mix");
        EXPECT_GT(mix_BSNN.min().item<double>(), 0);
        EXPECT_LT((mix_BSNN.sum(-1) - 1).abs().max().item<double>(), 1e-12) << "rows";
        EXPECT_LT((mix_BSNN.sum(-2) - 1).abs().max().item<double>(), 1e-3) << "columns, after 20 iterations";
    }
}

TEST(AttentionResiduals, StartAsTheMeanOfAllSources) {
    const auto model = buildTiny(withResidual("attn_res"));
    RecordingTaps taps;
    streamOf(*model, words(), {.taps = &taps});
    for (std::int64_t layer = 0; layer < 3; ++layer)
        for (const std::string sublayer : {"self", "ffn"}) {
            const std::string path = "decoder.layers." + std::to_string(layer) + "." + sublayer + ".residual.weight";
            const std::int64_t sources = 2 * layer + (sublayer == "self" ? 2 : 3);
            const at::Tensor& weight_BSL = taps.seen().at(path);
            EXPECT_EQ(weight_BSL.size(-1), sources) << path;
            EXPECT_LT((weight_BSL - 1.0 / static_cast<double>(sources)).abs().max().item<double>(), 1e-12) << path;
        }
}

/// With one block of all sublayers there are two sources: h⁰ and the sum of all outputs.
TEST(AttentionResiduals, OfOneBlockReadTheSumOfAllOutputs) {
    const auto model = buildTiny(withResidual({{"kind", "attn_res"}, {"block", 100}}));
    RecordingTaps taps;
    streamOf(*model, words(), {.taps = &taps});
    EXPECT_EQ(taps.seen().at("decoder.layers.2.ffn.residual.weight").sizes(), (at::IntArrayRef{1, 8, 2}));
}

TEST(Residuals, OverStreamsWorkWithSharedLayers) {
    for (const char* kind : {"hyper", "mhc"}) {
        Json document = withResidual(kind);
        document["decoder"]["share"] = "shared";
        const auto model = buildTiny(document);
        EXPECT_EQ(model->parameters().count(), countCost(model->variant()).parameters);
        EXPECT_TRUE(at::isfinite(streamOf(*model, words())).all().item<bool>());
    }
}

TEST(Residuals, SayWhatTheyDoNotFit) {
    const Json post{{"kind", "layernorm"}, {"place", "post"}};
    EXPECT_THAT(refusalOf(withResidual("deepnorm")), HasSubstr("DeepNorm is a residual connection before a post-norm"));
    const Json around{{"kind", "layernorm"}, {"place", "both"}};
    for (const Json& norm : {Json(), post}) EXPECT_THAT(refusalOf(withResidual("keel", norm)), HasSubstr("norm.place to both"));
    EXPECT_THAT(refusalOf(withResidual("keel", around)), IsEmpty());
    EXPECT_THAT(refusalOf(withResidual("hyper", around)), HasSubstr("norm.place"));
    for (const char* kind : {"hyper", "mhc", "dense", "mudd", "attn_res"}) {
        EXPECT_THAT(refusalOf(withResidual(kind)), IsEmpty()) << kind;
        EXPECT_THAT(refusalOf(withResidual(kind, "none")), IsEmpty()) << kind;
        EXPECT_THAT(refusalOf(withResidual(kind, post)), HasSubstr("norm.place")) << kind;
        Json fixedPoint = withResidual(kind);
        fixedPoint["dims"]["layers_dec"] = 1;
        fixedPoint["decoder"]["share"] = "fixed_point";
        EXPECT_THAT(refusalOf(fixedPoint), HasSubstr("share")) << kind;
    }
    for (const char* kind : {"dense", "mudd", "attn_res"}) {
        Json shared = withResidual(kind);
        shared["decoder"]["share"] = "shared";
        EXPECT_THAT(refusalOf(shared), HasSubstr("use share distinct")) << kind;
    }
    for (const char* kind : {"hyper", "mhc", "attn_res"})
        EXPECT_THAT(refusalOf(onFeedForward(kind)), HasSubstr("all sublayers of a stack")) << kind;
    Json mixed = onFeedForward("mudd");
    mixed["decoder"]["sublayers"][0]["residual"] = "dense";
    EXPECT_THAT(refusalOf(mixed), HasSubstr("all sublayers of a stack")) << "states of two kinds";
    Json numbers = withResidual("hyper");
    numbers["decoder"]["layers"]["1"]["self"]["residual"] = {{"kind", "hyper"}, {"streams", 2}};
    EXPECT_THAT(refusalOf(numbers), HasSubstr("all sublayers of a stack")) << "2 and 4 streams";
    Json position = withResidual("hyper");
    position["position"] = {{"where", "every_layer"}};
    EXPECT_THAT(refusalOf(position), HasSubstr("position.where"));
    Json adjusted = withResidual("hyper");
    adjusted["decoder"]["sublayers"] = {Json{{"name", "self"}, {"adjuster", {{"kind", "eau"}, {"where", "before_ffn"}}}},
                                        Json{{"name", "ffn"}}};
    EXPECT_THAT(refusalOf(adjusted), HasSubstr("adjuster.where"));
}

}  // namespace
}  // namespace heddle
