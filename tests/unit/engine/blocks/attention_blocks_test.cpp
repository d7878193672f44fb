// SPDX-License-Identifier: Apache-2.0
// Mask "sliding", scorer "qk_norm" and adjuster "output_gate": their golden cases, and properties that hold for all numbers.
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/model/mixer.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/cost.h"
#include "engine/spec/variant_rules.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/blocks/block_checks.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::buildTiny;
using testing_support::distance;
using testing_support::expectFutureHidden;
using testing_support::expectGolden;
using testing_support::expectSameOnEveryPathAndByStep;
using testing_support::ids;
using testing_support::refusalOf;
using testing_support::resolveTiny;
using testing_support::streamOf;
using testing_support::words;
using verify::OneBlock;
using verify::tensorFromJson;

/// An attention made of single blocks, which are called through their own interfaces in the order of evaluation.
struct AttentionUnderTest {
    explicit AttentionUnderTest(const Json& golden, const Json& form) {
        const at::TensorOptions options(at::kDouble);
        const std::int64_t heads = golden.at("heads"), d = std::ssize(golden.at("x").front());
        dims.d = d, dims.heads = heads, dims.keyDim = dims.valueDim = d / heads;
        const auto choiceOf = [&](const std::string& slot, const std::string& standard) {
            Json given = form.at("form").value(slot, Json{{"kind", standard}});
            const std::string id = given.at("kind");
            given.erase("kind");
            return OneBlock{slot, id, given, dims};
        };
        mask = choiceOf("mask", "padding").make<Mask>(options).block;
        auto madeScorer = choiceOf("scorer", "dot").make<Scorer>(options);
        auto madeValue = choiceOf("value", "heads_proj").make<Value>(options);
        auto madeAdjuster = choiceOf("adjuster", "none").make<Adjuster>(options);
        load("scorer.", madeScorer.store, form.at("weights"));
        load("value.", madeValue.store, form.at("weights"));
        load("adjuster.", madeAdjuster.store, form.at("weights"));
        scorer = std::move(madeScorer.block), value = std::move(madeValue.block), adjuster = std::move(madeAdjuster.block);
    }

    at::Tensor mix(const at::Tensor& x_BSD, const at::Tensor& padding_BK) const {
        const KeyMasks keys(padding_BK, x_BSD.size(1), x_BSD.options().requires_grad(false));
        const at::Tensor logits = scorer->score(x_BSD, x_BSD, {}).masked_fill(keys.of(*mask).hidden(), kHiddenScore);
        const InnerAdjuster inner{*adjuster, x_BSD};
        const bool isInner = adjuster->place() == Adjuster::Place::BeforeOutputProjection;
        return value->aggregate(at::softmax(logits, -1), x_BSD, isInner ? &inner : nullptr, {});
    }

    Dims dims;
    std::unique_ptr<Mask> mask;
    std::unique_ptr<Scorer> scorer;
    std::unique_ptr<Value> value;
    std::unique_ptr<Adjuster> adjuster;
    std::map<std::string, at::Tensor> parameters;  ///< the keys are the names in the golden case

private:
    void load(const std::string& prefix, const ParameterStore& store, const Json& weights) {
        const at::NoGradGuard noGrad;
        for (const auto& [path, tensor] : store.entries()) {
            const std::string name = prefix + path.substr(std::string("block.").size());
            at::Tensor(tensor).copy_(tensorFromJson(weights.at(name), tensor.options()));
            parameters[name] = tensor;
        }
    }
};

TEST(AttentionBlocksGolden, EveryFormIsTheOneWorkedOutByTheOracle) {
    const Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/tests/oracle/attention.json");
    ASSERT_THAT(golden.at("forms"), SizeIs(5));
    const at::Tensor padding_BK = tensorFromJson(golden.at("keep"), at::kDouble).eq(0).unsqueeze(0);
    for (const auto& [name, form] : golden.at("forms").items()) {
        SCOPED_TRACE(name);
        const AttentionUnderTest attention(golden, form);
        const at::Tensor x = tensorFromJson(golden.at("x"), at::kDouble).unsqueeze(0).requires_grad_();
        expectGolden(x, attention.mix(x, padding_BK), attention.parameters, form, 1e-11);
    }
}

/// A language model of `layers` layers whose self-attention has these slots; "dims" are sizes.
Json languageModel(const Json& ofSelf, std::int64_t layers = 2) {
    Json self{{"name", "self"}};
    self.update(ofSelf);
    Json dims = self.value("dims", Json::object());
    self.erase("dims");
    dims["layers_dec"] = layers;
    return {{"topology", "decoder"}, {"dims", dims}, {"decoder", {{"sublayers", {self, Json{{"name", "ffn"}}}}}}};
}

Json sliding(std::int64_t window, const char* side = "past") {
    return {{"mask", {{"kind", "sliding"}, {"window", window}, {"side", side}}}};
}

Json outputGated(const Json& over = Json::object()) {
    Json gate{{"kind", "output_gate"}};
    gate.update(over);
    return {{"adjuster", gate}};
}

const Json kQkNorm{{"scorer", "qk_norm"}};

class AttentionBlock : public ::testing::TestWithParam<Json> {};
INSTANTIATE_TEST_SUITE_P(
    All, AttentionBlock,
    ::testing::Values(sliding(3), kQkNorm, outputGated(), outputGated({{"grain", "headwise"}, {"bias", true}}),
                      Json{{"relative", "rotary"}}, Json{{"relative", "alibi"}, {"dims", {{"kv_heads", 2}}}},
                      Json{{"relative", {{"kind", "t5"}, {"buckets", 4}, {"max_distance", 4}}}},
                      Json{{"relative", {{"kind", "rotary"}, {"share", 0.5}}},
                           {"scorer", {{"kind", "qk_norm"}, {"over", "projection"}}},
                           {"dims", {{"kv_heads", 1}}}},
                      Json{{"cap", {{"kind", "soft"}, {"limit", 0.5}}}}, Json{{"normaliser", "sink"}},
                      Json{{"normaliser", "differential"}, {"adjuster", {{"kind", "head_norm"}, {"heads", 2}}}},
                      Json{{"mask", {{"kind", "sliding"}, {"window", 2}, {"sinks", 2}}}},
                      Json{{"value_carry", {{"kind", "first_layer"}, {"learned", true}}}},
                      Json{{"value_carry", "first_layer"}, {"dims", {{"kv_heads", 2}}}},
                      Json{{"norm", {{"kind", "rmsnorm"}, {"place", "sandwich"}}}}));

TEST_P(AttentionBlock, IsTheSameFusedByReferenceAndStepByStep) {
    const auto model = buildTiny(languageModel(GetParam()));
    expectSameOnEveryPathAndByStep(*model, 1e-12);
}

TEST_P(AttentionBlock, IsCountedAndLearns) {
    const ResolvedVariant variant = resolveTiny(languageModel(GetParam()));
    const auto model = buildModel(variant, 1, at::kDouble);
    EXPECT_EQ(model->parameters().count(), countCost(variant).parameters);
    streamOf(*model, words(), {.training = true}).square().sum().backward();
    for (const auto& [path, tensor] : model->parameters().entries()) {
        const std::vector<std::string> ofTheBlocks{".gate.",        "_gain",        ".relative.",      ".normaliser.",
                                                   ".value_carry.", ".norm.output", ".adjuster.weight"};
        const auto isPart = [&, &name = path](const std::string& part) { return name.find(part) != std::string::npos; };
        if (std::none_of(ofTheBlocks.begin(), ofTheBlocks.end(), isPart)) continue;
        EXPECT_GT(tensor.grad().abs().max().item<double>(), 1e-9) << path;
    }
}

TEST_P(AttentionBlock, LeavesTheFutureHidden) {
    const auto model = buildTiny(languageModel(GetParam()));
    expectFutureHidden(*model);
    EXPECT_THAT(futureViews(model->variant()), IsEmpty());
}

TEST(SlidingMask, OfTheWholeLengthIsTheMaskWithoutAWindow) {
    for (const auto& [side, whole] : {std::pair{"past", "causal"}, std::pair{"both", "padding"}}) {
        const auto plain = buildTiny(languageModel({{"mask", whole}}));
        for (const std::int64_t window : {8, 9, 100})
            EXPECT_EQ(distance(streamOf(*buildTiny(languageModel(sliding(window, side))), words()), streamOf(*plain, words())),
                      0);
        EXPECT_GT(distance(streamOf(*buildTiny(languageModel(sliding(7, side))), words()), streamOf(*plain, words())), 1e-9)
            << side << ": the last query is 7 keys away from the first";
    }
}

TEST(SlidingMask, ShowsAQueryTheKeysOfItsWindowAlone) {
    constexpr std::int64_t kChanged = 3;
    const at::Tensor others = ids({2, 7, 8, 12, 10, 5, 4, 6});
    for (const bool isBoth : {false, true}) {
        const auto model = buildTiny(languageModel(sliding(3, isBoth ? "both" : "past"), 1));
        const at::Tensor moved_S = (streamOf(*model, words()) - streamOf(*model, others)).abs().amax(-1)[0];
        for (std::int64_t query = 0; query < moved_S.size(0); ++query) {
            const std::int64_t after = query - kChanged;
            const bool sees = isBoth ? std::abs(after) < 3 : after >= 0 && after < 3;
            EXPECT_EQ(moved_S[query].item<double>() > 0, sees) << (isBoth ? "both, " : "past, ") << query;
        }
    }
}

TEST(SlidingMask, OfASingleKeyMixesTheQuerysOwnValueAlone) {
    const auto model = buildTiny(languageModel(sliding(1)));
    RecordingTaps taps;
    streamOf(*model, words(), {.taps = &taps});
    const at::Tensor& weight_BHQK = taps.seen().at("decoder.layers.0.self.weight");
    EXPECT_EQ(distance(weight_BHQK, at::eye(8, at::kDouble).expand_as(weight_BHQK)), 0);
}

TEST(SlidingMask, TellsRulesWhatItHidesWithItsOptions) {
    EXPECT_THAT(futureViews(resolveTiny(languageModel(sliding(3, "both")))), SizeIs(1));
    const auto encoderWith = [](const char* side) {
        Json self{{"name", "self"}, {"value", {{"kind", "directional"}, {"split", "self_left"}}}};
        self.update(sliding(3, side));
        return Json{{"topology", "encoder"}, {"encoder", {{"sublayers", {self, Json{{"name", "ffn"}}}}}}};
    };
    EXPECT_THAT(refusalOf(encoderWith("past")), HasSubstr("mask \"sliding\" hides the keys after the query"));
    EXPECT_THAT(refusalOf(encoderWith("both")), IsEmpty());
}

TEST(SlidingMask, IsRefusedInCrossAttention) {
    Json cross{{"name", "cross"}};
    cross.update(sliding(3));
    const Json document{{"decoder", {{"sublayers", {Json{{"name", "self"}}, cross, Json{{"name", "ffn"}}}}}}};
    EXPECT_THAT(refusalOf(document), HasSubstr("cross-attention has no distance"));
}

TEST(OutputGate, ForcedOpenIsAttentionWithoutAGate) {
    const auto plain = buildTiny(languageModel({{"mask", "causal"}}));
    for (const char* grain : {"elementwise", "headwise"})
        for (const double bias : {40.0, -40.0}) {
            const auto gate = buildTiny(languageModel(outputGated({{"grain", grain}, {"bias", true}, {"bias_init", bias}})));
            testing_support::copyShared(*gate, *plain);
            const at::NoGradGuard noGrad;
            for (const auto& [path, tensor] : gate->parameters().entries())
                if (path.ends_with("gate.weight")) tensor.zero_();
            RecordingTaps taps;
            const at::Tensor y = streamOf(*gate, words(), {.taps = &taps});
            const double apart = distance(y, streamOf(*plain, words()));
            const at::Tensor output = taps.seen().at("decoder.layers.0.self.sublayer_output");
            const at::Tensor bias_D = gate->parameters().find("decoder.layers.0.self.value.out.bias");
            EXPECT_LT(bias > 0 ? apart : distance(output, bias_D.expand_as(output)), 1e-12) << grain << " " << bias;
        }
}

TEST(OutputGate, OfAHeadIsTheElementwiseOneWithEqualRows) {
    const auto byHead = buildTiny(languageModel(outputGated({{"grain", "headwise"}}))),
               byElement = buildTiny(languageModel(outputGated()));
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : byElement->parameters().entries()) {
        const at::Tensor given = byHead->parameters().find(path);
        tensor.copy_(path.ends_with("gate.weight") ? given.repeat_interleave(4, 0) : given);
    }
    EXPECT_LT(distance(streamOf(*byElement, words()), streamOf(*byHead, words())), 1e-13);
    RecordingTaps ofHeads, ofElements;
    streamOf(*byHead, words(), {.taps = &ofHeads});
    streamOf(*byElement, words(), {.taps = &ofElements});
    const std::string tap = "decoder.layers.1.self.adjuster.gate";
    EXPECT_EQ(ofHeads.seen().at(tap).sizes(), (at::IntArrayRef{1, 8, 4}));
    EXPECT_EQ(ofElements.seen().at(tap).sizes(), (at::IntArrayRef{1, 8, 16}));
}

/// In pre-norm the gate reads what the attention reads: the normalised stream.
TEST(OutputGate, ReadsTheInputOfTheAttention) {
    for (const char* place : {"pre", "post"}) {
        Json self = outputGated();
        self["norm"] = {{"kind", "layernorm"}, {"place", place}};
        const auto model = buildTiny(languageModel(self, 1));
        RecordingTaps taps;
        streamOf(*model, words(), {.taps = &taps});
        const at::Tensor weight = model->parameters().find("decoder.layers.0.self.adjuster.gate.weight");
        const at::Tensor& gate_BSD = taps.seen().at("decoder.layers.0.self.adjuster.gate");
        const at::Tensor input_SD = at::linalg_solve(weight, at::logit(gate_BSD[0]).t()).t();
        const double mean = input_SD.mean(-1).abs().max().item<double>();
        EXPECT_EQ(mean < 1e-9, std::string(place) == "pre") << place << " " << mean;
    }
}

TEST(OutputGate, IsRefusedWhereNoProjectionFollows) {
    EXPECT_THAT(refusalOf(languageModel([] {
                    Json slots = outputGated();
                    slots["value"] = "heads_noproj";
                    return slots;
                }())),
                HasSubstr("value \"heads_noproj\" has no output projection"));
    EXPECT_THAT(refusalOf({{"defaults", outputGated()}}), HasSubstr("a feed-forward sublayer has no heads"));
    EXPECT_THAT(refusalOf(languageModel(outputGated({{"bias_init", 2}}))), HasSubstr("the gate has no bias"));
}

TEST(QkNorm, BoundsScoresAndForgetsTheLengthOfQueriesAndKeys) {
    Dims dims;
    dims.d = 6, dims.heads = 2, dims.keyDim = 4;
    const auto scorer = OneBlock{"scorer", "qk_norm", {{"bias", false}, {"eps", 1e-15}}, dims}.make<Scorer>(at::kDouble);
    verify::fillNormal(scorer.store, 1, 3);
    const at::NoGradGuard noGrad;
    for (const char* gain : {"block.q_gain", "block.k_gain"}) scorer.store.find(gain).fill_(1);
    const at::Tensor q = verify::normalTensor({2, 5, 6}, 4), k = verify::normalTensor({2, 7, 6}, 5);
    const at::Tensor scores = scorer->score(q, k, {});
    EXPECT_LE(scores.abs().max().item<double>(), std::sqrt(4.0) + 1e-12);
    EXPECT_LT(distance(scorer->score(q * 100, k * 0.01, {}), scores), 1e-9);
    scorer.store.find("block.q_gain").fill_(3);
    EXPECT_LT(distance(scorer->score(q, k, {}), scores * 3), 1e-12);
    const auto own = scorer->score(q, q, {});
    scorer.store.find("block.k.weight").copy_(scorer.store.find("block.q.weight"));
    EXPECT_LT(distance(scorer->score(q, q, {}).diagonal(0, 2, 3), at::full({1}, 6.0, at::kDouble)), 1e-9)
        << "a key equal to its query: 3 √E";
    EXPECT_GT(distance(own, scorer->score(q, q, {})), 1e-3);
}

}  // namespace
}  // namespace heddle
