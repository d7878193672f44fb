// SPDX-License-Identifier: Apache-2.0
// Options of blocks inside a sublayer beyond the golden cases of x_transformers_test.cpp: fewer heads of keys, values of
// earlier layers, bfloat16, other widths, and what is refused.
#include "engine/blocks/incremental.h"
#include "engine/device/precision.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/cost.h"
#include "engine/train/step/parameter_groups.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/blocks/block_checks.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::buildTiny;
using testing_support::distance;
using testing_support::expectSameOnEveryPathAndByStep;
using testing_support::refusalOf;
using testing_support::resolveTiny;
using testing_support::streamOf;
using testing_support::words;
using verify::normalTensor;
using verify::OneBlock;

/// A language model whose blocks are these, with these sizes.
Json decoderOfBlocks(const Json& defaults, const Json& dims = Json::object()) {
    return {{"topology", "decoder"}, {"dims", dims}, {"defaults", defaults}};
}

/// The same with an adjuster and a value in its self-attention.
Json decoderWithAdjuster(const Json& adjuster, const char* value) {
    Json document = decoderOfBlocks(Json::object());
    document["decoder"]["sublayers"] = {Json{{"name", "self"}, {"adjuster", adjuster}, {"value", value}},
                                        Json{{"name", "ffn"}}};
    return document;
}

/// Variants with the options of this file, each of which adds parameters or changes the formula.
std::vector<Json> variantsOfOptions() {
    const Json normed{{"kind", "heads_proj"}, {"norm", true}};
    std::vector<Json> all{decoderOfBlocks({{"value", normed}}),
                          decoderOfBlocks({{"value", normed}, {"value_carry", "first_layer"}}, {{"kv_heads", 2}})};
    for (const char* norm : {"layernorm", "layernorm_no_bias"})
        for (const char* kind : {"mlp", "glu"})
            all.push_back(decoderOfBlocks({{"ffn", {{"kind", kind}, {"inner_norm", norm}}}}));
    all.push_back(decoderOfBlocks({{"ffn", {{"kind", "glu"}, {"gain", true}, {"inner_norm", "layernorm"}}}}));
    for (const Json& options : std::vector<Json>{{{"form", "l2"}, {"gain", "none"}},
                                                 {{"form", "l2"}, {"gain", "heads"}, {"groups", 2}, {"factor", 4}},
                                                 {{"gain", "heads"}, {"groups", 2}},
                                                 {{"over", "projection"}, {"gain", "none"}}}) {
        Json scorer{{"kind", "qk_norm"}};
        scorer.update(options);
        all.push_back(decoderOfBlocks({{"scorer", scorer}, {"relative", "rotary"}}, {{"kv_heads", 2}}));
        all.back()["position"] = "none";
    }
    for (const char* grain : {"elementwise", "headwise"})
        all.push_back(decoderWithAdjuster({{"kind", "output_gate"}, {"act", "silu"}, {"grain", grain}}, "heads_proj"));
    for (const char* value : {"heads_proj", "heads_noproj"}) all.push_back(decoderWithAdjuster({{"kind", "aoa"}}, value));
    all.push_back(decoderWithAdjuster({{"kind", "aoa"}, {"bias", false}}, "heads_noproj"));
    return all;
}

/// All parameters get other values than those of their start, under which gains and gates are no identities.
void moveParameters(const Model& model) {
    const at::NoGradGuard noGrad;
    std::uint64_t seed = 1;
    for (const auto& [path, tensor] : model.parameters().entries())
        tensor.add_(normalTensor(tensor.sizes(), ++seed).to(tensor.scalar_type()), 0.1);
}

TEST(InnerOptions, AreCountedAndTheSameOnEveryPathAndByStep) {
    for (const Json& document : variantsOfOptions()) {
        SCOPED_TRACE(document.dump());
        const auto model = buildTiny(document);
        EXPECT_EQ(model->parameters().count(), countCost(resolveTiny(document)).parameters);
        moveParameters(*model);
        expectSameOnEveryPathAndByStep(*model, 1e-11);
    }
}

TEST(InnerOptions, KeepTheirDigitsUnderAutocast) {
    for (const Json& document : variantsOfOptions()) {
        SCOPED_TRACE(document.dump());
        const auto model = buildTiny(document, at::kFloat);
        moveParameters(*model);
        const at::Tensor exact = streamOf(*model, words());
        for (const auto path : {Forward::Path::Fused, Forward::Path::Reference}) {
            const AutocastScope autocast(at::kCPU, Precision::BFloat16);
            const at::Tensor y = streamOf(*model, words(), {.path = path});
            EXPECT_LT((y - exact).abs().mean().item<double>(), 0.05);
            y.square().sum().backward();
        }
        for (const auto& [path, tensor] : model->parameters().entries())
            EXPECT_TRUE(!tensor.grad().defined() || at::isfinite(tensor.grad()).all().item<bool>()) << path;
    }
}

/// With dims.base_d a wider model starts with the same gains, and vectors learn at the rate of the base model. The start of a
/// bias follows the base model's fan-in.
TEST(InnerOptions, TransferToOtherWidths) {
    for (Json document : variantsOfOptions()) {
        SCOPED_TRACE(document.dump());
        if (document.dump().find("headwise") != std::string::npos) continue;  // as many gates as heads, which do not grow
        document["dims"].update({{"d", 32}, {"f", 48}});
        const auto plain = buildTiny(document);
        document["dims"]["base_d"] = 16, document["dims"]["base_f"] = 24;
        const auto model = buildTiny(document);
        std::map<std::string, double> rates;
        for (const ParameterSettings& one : parameterSettings(model->parameters(), TrainSpec())) rates[one.path] = one.rate;
        for (const auto& [path, tensor] : model->parameters().entries()) {
            if (tensor.dim() > 1) continue;
            if (!path.ends_with(".bias")) {
                EXPECT_TRUE(at::equal(tensor, plain->parameters().find(path))) << path;
            }
            EXPECT_EQ(rates.at(path), 1) << path;
        }
    }
}

/// A group's values are normed once for all of its heads, as if every head had a copy of them.
TEST(ValueNorm, OfAGroupIsThatOfEachOfItsHeads) {
    Dims dims{.d = 6, .heads = 4, .keyDim = 2, .valueDim = 3, .kvHeads = 2};
    const auto grouped = OneBlock{"value", "heads_proj", {{"norm", true}}, dims}.make<Value>(at::kDouble);
    dims.kvHeads = 0;
    const auto full = OneBlock{"value", "heads_proj", {{"norm", true}}, dims}.make<Value>(at::kDouble);
    verify::fillNormal(grouped.store, 0.7, 5);
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : full.store.entries()) {
        const at::Tensor of = grouped.store.find(path);
        const bool isOut = path.starts_with("block.out.");
        at::Tensor(tensor).copy_(isOut ? of : of.unflatten(0, {2, 3}).repeat_interleave(2, 0).flatten(0, 1));
    }
    const at::Tensor x = normalTensor({2, 5, 6}, 1), p = at::softmax(normalTensor({2, 4, 5, 5}, 2), -1);
    const at::Tensor y = grouped->aggregate(p, x, nullptr, {});
    EXPECT_LT(distance(y, full->aggregate(p, x, nullptr, {})), 1e-12);
    const auto& stepwise = dynamic_cast<const IncrementalValue&>(*grouped.block);
    const at::Tensor kept_BGKE = grouped->normedValues(stepwise.keep(x));
    EXPECT_EQ(kept_BGKE.sizes(), (at::IntArrayRef{2, 2, 5, 3}));
    EXPECT_LT(distance(y, stepwise.mixCached(p, {kept_BGKE}, nullptr, {})), 1e-12);
    EXPECT_GT(distance(y, stepwise.mixCached(p, {stepwise.keep(x)}, nullptr, {})), 1e-3) << "without the norm";
}

at::Tensor firstScores(const Model& model) {
    RecordingTaps taps;
    streamOf(model, words(), {.taps = &taps});
    return taps.seen().at("decoder.layers.0.self.scorer.score");
}

/// Products of unit vectors do not grow with the width of a head; those of vectors of length √E do.
TEST(QkNorm, HasAFactorOfTheBaseModel) {
    for (const auto& [form, ratio] : {std::pair{"l2", 1.0}, std::pair{"rms", 4.0}}) {
        Json document = decoderOfBlocks({{"scorer", {{"kind", "qk_norm"}, {"form", form}, {"factor", 3}}}}, {{"d", 64}});
        const auto plain = buildTiny(document);
        document["dims"]["base_d"] = 16;
        const auto model = buildTiny(document);
        testing_support::copyShared(*model, *plain);
        EXPECT_LT(distance(firstScores(*model), firstScores(*plain) / ratio), 1e-12) << form;
    }
}

TEST(QkNorm, BoundsScoresByTheFactorTimesTheGroups) {
    for (const std::int64_t groups : {1, 2}) {
        const Json scorer{{"kind", "qk_norm"}, {"form", "l2"}, {"groups", groups}, {"factor", 3}, {"eps", 1e-15}};
        const auto model = buildTiny(decoderOfBlocks({{"scorer", scorer}}, {{"d", 32}}));
        EXPECT_LE(firstScores(*model).abs().max().item<double>(), 3.0 * static_cast<double>(groups) + 1e-12);
    }
}

TEST(QkNorm, RefusesWhatHasNoMeaning) {
    const auto with = [](Json options) {
        options["kind"] = "qk_norm";
        return refusalOf(decoderOfBlocks({{"scorer", options}}));
    };
    EXPECT_THAT(with({{"groups", 3}}), HasSubstr("scorer.groups|3 groups do not divide a key width of 4"));
    EXPECT_THAT(with({{"groups", 2}, {"over", "projection"}}), HasSubstr("scorer.groups|"));
    EXPECT_THAT(with({{"form", "l2"}, {"over", "projection"}}), HasSubstr("scorer.form|"));
    EXPECT_THAT(with({{"gain", "heads"}, {"over", "projection"}}), IsEmpty()) << "a note, not a problem";
}

/// A gate that is not bounded is not shown among the gates from 0 to 1.
TEST(OutputGate, ShowsWhatItsActivationGives) {
    for (const bool isBounded : {true, false}) {
        const Json gate{{"kind", "output_gate"}, {"act", isBounded ? "sigmoid" : "silu"}};
        const Json document = decoderWithAdjuster(gate, "heads_proj");
        RecordingTaps taps;
        streamOf(*buildTiny(document), words(), {.taps = &taps});
        EXPECT_EQ(taps.seen().count("decoder.layers.0.self.adjuster.gate"), isBounded ? 1U : 0U);
        EXPECT_EQ(taps.seen().count("decoder.layers.0.self.adjuster.factor"), isBounded ? 0U : 1U);
    }
}

TEST(AttentionOnAttention, IsInformationTimesItsGate) {
    const Dims dims{.d = 6, .heads = 2, .keyDim = 3, .valueDim = 3};
    const auto made = OneBlock{"adjuster", "aoa", Json::object(), dims}.make<Adjuster>(at::kDouble);
    verify::fillNormal(made.store, 0.7, 5);
    const at::Tensor x = normalTensor({2, 5, 6}, 1), u = normalTensor({2, 5, 6}, 2);
    const auto of = [&](const std::string& name) {
        const auto parameter = [&](const char* kind) { return made.store.find("block." + name + kind); };
        return at::linear(x, parameter(".weight"), parameter(".bias")) + at::linear(u, parameter("_query.weight"));
    };
    EXPECT_LT(distance(made->adjust(x, u, {}), of("information") * at::sigmoid(of("gate"))), 1e-12);
    EXPECT_THAT(refusalOf(decoderOfBlocks({{"adjuster", "aoa"}})),
                AllOf(HasSubstr("ffn.adjuster"), HasSubstr("a feed-forward sublayer has no attention")));
    Json second = decoderOfBlocks(Json::object());
    second["decoder"]["sublayers"] = {Json{{"name", "self"}}, Json{{"name", "ffn2"}, {"adjuster", "aoa"}}};
    EXPECT_THAT(refusalOf(second), AllOf(HasSubstr("ffn2.adjuster"), HasSubstr("a feed-forward sublayer has no attention")));
}

/// Every init draws the other parameters as before.
TEST(BranchOutputs, StartAtZeroAndLearn) {
    for (const std::string& kind : builtinCatalogue().idsOf("init"))
        for (const bool isWider : {false, true}) {
            SCOPED_TRACE(kind);
            Json document = decoderOfBlocks({{"norm", {{"kind", "layernorm"}, {"place", "pre"}}}});
            if (isWider) document["dims"] = {{"d", 32}, {"f", 48}, {"base_d", 16}, {"base_f", 24}};
            document["init"] = kind;
            const auto plain = buildTiny(document);
            document["init"] = {{"kind", kind}, {"branch_outputs", "zero"}};
            const auto model = buildTiny(document);
            streamOf(*model, words()).square().sum().backward();
            int ends = 0;
            for (const auto& [path, tensor] : model->parameters().entries()) {
                const bool isEnd = path.find(".value.out.") != std::string::npos || path.find(".ffn.out.") != std::string::npos;
                if (!isEnd) {
                    EXPECT_TRUE(at::equal(tensor, plain->parameters().find(path))) << path;
                    continue;
                }
                ++ends;
                EXPECT_EQ(tensor.abs().max().item<double>(), 0) << path;
                EXPECT_GT(tensor.grad().abs().max().item<double>(), 0) << path;
            }
            EXPECT_EQ(ends, 8) << "weight and bias of two maps in each of two layers";
        }
}

/// The fused ReLU with dropout must not leave out the norm.
TEST(InnerNorm, StandsBeforeDropoutOnEveryPath) {
    OneBlock one{"ffn", "mlp", {{"act", "relu"}, {"inner_norm", "layernorm"}, {"inner_dropout", 0.5}}, {.d = 6, .f = 32}};
    const auto made = one.make<FeedForward>(at::kFloat);
    verify::fillNormal(made.store, 0.7, 5);
    const at::Tensor x = normalTensor({2, 5, 6}, 1).to(at::kFloat);
    const auto parameter = [&](const char* name) { return made.store.find(std::string("block.") + name); };
    const Forward training{.training = true, .seed = 3};
    const at::Tensor h = at::relu(at::linear(x, parameter("in.weight"), parameter("in.bias")));
    const at::Tensor normed = at::layer_norm(h, {32}, parameter("norm.weight"), parameter("norm.bias"), 1e-5);
    const at::Tensor dropped = training.dropout(normed, 0.5, "block.inner");
    EXPECT_NEAR(dropped.eq(0).to(at::kDouble).mean().item<double>(), 0.5, 0.15) << "the norm's shift leaves no other zeros";
    const at::Tensor y = at::linear(dropped, parameter("out.weight"), parameter("out.bias"));
    for (const auto path : {Forward::Path::Fused, Forward::Path::Reference}) {
        Forward f = training;
        f.path = path;
        EXPECT_LT(distance(made->transform(x, f), y), 1e-4);
    }
}

}  // namespace
}  // namespace heddle
