// SPDX-License-Identifier: Apache-2.0
// Attention composed of slots (relative positions, heads of keys, caps, sinks, carried values and places of the norm) gives
// what PyTorch gives. The older scorers and values that did several of these things at once give what the slots give together.
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/model/intervened_model.h"
#include "engine/model/recording_taps.h"
#include "engine/verify/one_block.h"
#include "engine/verify/stack_under_test.h"
#include "tests/unit/engine/blocks/block_checks.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testing_support::buildTiny;
using testing_support::distance;
using testing_support::refusalOf;
using verify::OneBlock;
using verify::StackUnderTest;
using verify::tensorFromJson;

constexpr const char* kEncoderLayers = "encoder.layers.";

void loadAll(const ParameterStore& store, const Json& weights) {
    const at::NoGradGuard noGrad;
    ASSERT_EQ(store.entries().size(), weights.size());
    for (const auto& [path, tensor] : store.entries()) {
        const std::string name = path.substr(std::string(kEncoderLayers).size());
        at::Tensor(tensor).copy_(tensorFromJson(weights.at(name), tensor.options()).view(tensor.sizes()));
    }
}

TEST(ComposedAttentionGolden, EveryFormIsTheOneWorkedOutByTheOracle) {
    const Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/tests/oracle/composed.json");
    ASSERT_THAT(golden.at("forms"), SizeIs(19));
    const at::Tensor padding_BK = tensorFromJson(golden.at("keep"), at::kDouble).eq(0).unsqueeze(0);
    for (const auto& [name, form] : golden.at("forms").items())
        for (const auto path : {Forward::Path::Fused, Forward::Path::Reference}) {
            SCOPED_TRACE(name);
            const StackUnderTest stack(form.at("document"), at::kDouble);
            loadAll(stack.store(), form.at("weights"));
            EXPECT_EQ(stack.counts().built, stack.counts().formula);
            const at::Tensor x = tensorFromJson(golden.at("x"), at::kDouble).unsqueeze(0).requires_grad_();
            const KeyMasks keys(padding_BK, x.size(1), at::kDouble);
            MixContext context;
            context.self = &keys;
            const at::Tensor y = stack.run(x, context, {.path = path});
            EXPECT_LT(distance(y[0], tensorFromJson(form.at("y"), at::kDouble)), 1e-12);
            (y.square().sum() / 2).backward();
            const Json& slopes = form.at("dloss");
            EXPECT_LT(distance(x.grad()[0], tensorFromJson(slopes.at("x"), at::kDouble)), 1e-10);
            for (const auto& [parameter, tensor] : stack.store().entries()) {
                const at::Tensor slope =
                    tensorFromJson(slopes.at(parameter.substr(std::string(kEncoderLayers).size())), at::kDouble);
                EXPECT_LT(distance(tensor.grad(), slope.view(tensor.sizes())), 1e-10) << parameter;
            }
        }
}

/// A language model whose self-attention has these slots, and which has these sizes.
Json modelWith(const Json& slots, const Json& dims = Json::object()) {
    Json self{{"name", "self"}};
    self.update(slots);
    return {{"topology", "decoder"},
            {"dims", dims},
            {"position", "none"},
            {"decoder", {{"sublayers", {self, Json{{"name", "ffn"}}}}}}};
}

at::Tensor streamOf(const Model& model, const Forward& f = {}) {
    return testing_support::streamOf(model, testing_support::words(), f);
}

/// Outputs and gradients of two models with equal parameters are equal to the bit.
void expectSame(const Json& old, const Json& composed) {
    for (const auto path : {Forward::Path::Fused, Forward::Path::Reference}) {
        const auto one = buildTiny(old, at::kFloat), other = buildTiny(composed, at::kFloat);
        ASSERT_EQ(one->parameters().entries().size(), other->parameters().entries().size());
        const at::Tensor y = streamOf(*one, {.path = path}), z = streamOf(*other, {.path = path});
        EXPECT_TRUE(at::equal(y, z)) << old;
        y.square().sum().backward();
        z.square().sum().backward();
        for (const auto& [name, tensor] : one->parameters().entries()) {
            if (name.starts_with("head.")) continue;  // the stream does not go through it
            EXPECT_TRUE(at::equal(tensor.grad(), other->parameters().find(name).grad())) << name;
        }
    }
}

TEST(OldNames, AreWhatTheyAreComposedOf) {
    expectSame(modelWith({{"scorer", {{"kind", "rotary"}, {"base", 300}}}}),
               modelWith({{"relative", {{"kind", "rotary"}, {"base", 300}}}}));
    expectSame(modelWith({{"scorer", "alibi"}}), modelWith({{"relative", "alibi"}}));
    const Json groups{{"kind", "grouped"}, {"groups", 2}};
    expectSame(modelWith({{"scorer", groups}, {"value", groups}}), modelWith(Json::object(), {{"kv_heads", 2}}));
}

/// The hashes that the release before the slot of relative positions gave.
TEST(OldNames, KeepTheirHashes) {
    const auto hash = [](const char* text) { return VariantSpec::parse(parseJson(text, "test"), builtinCatalogue()).hash(); };
    EXPECT_EQ(hash(R"({"preset":"gpt","position":"none","defaults":{"scorer":{"kind":"rotary","base":500000}}})"),
              "c6336e33b688b98342317ccd422aa3c54f3276fe464fc2b6c5c4d4b7b485b907");
    EXPECT_EQ(hash(R"({"preset":"gpt","position":"none","defaults":{"scorer":"alibi"}})"),
              "6bfeea26a96ca5d7045728739d98011b2909fd7fe04e99fbb964dcf8b6412d74");
    EXPECT_EQ(hash(R"({"preset":"gpt","defaults":{"scorer":{"kind":"grouped","groups":4},
                       "value":{"kind":"grouped","groups":4}}})"),
              "815bb4cfe921a19e57974f507b144cc39167b0b3831c016de4a586aeb42eb219");
    EXPECT_EQ(hash(R"({"preset":"eau-full","defaults":{"scorer":{"kind":"qk_norm"},
                       "norm":{"kind":"rmsnorm","place":"pre","final":1}}})"),
              "f4e3f92e021c466ea95f8921a862fbe299f820168e8a2888c4525e7ef72981fc");
    EXPECT_EQ(hash(R"({"preset":"gpt","dims":{"kv_heads":12}})"), hash(R"({"preset":"gpt"})"))
        << "as many heads of keys as of queries";
}

TEST(Relative, NeedsAScorerThatAppliesIt) {
    for (const char* scorer : {"rotary", "alibi"})
        EXPECT_THAT(refusalOf(modelWith({{"relative", "rotary"}, {"scorer", scorer}})),
                    AllOf(StartsWith("decoder.layers.0.self.relative|"), HasSubstr("use scorer dot or qk_norm")));
    const Json sea{{"kind", "sea"}, {"k", 2}, {"columns", 4}, {"group", "query"}};
    EXPECT_THAT(refusalOf(modelWith({{"relative", "rotary"}, {"selector", sea}})), IsEmpty());
    for (const char* relative : {"alibi", "t5"})
        EXPECT_THAT(refusalOf(modelWith({{"relative", relative}, {"selector", sea}})),
                    AllOf(StartsWith("decoder.layers.0.self.relative|"), HasSubstr("use relative rotary")));
}

TEST(Relative, StatedForAllSublayersLeavesCrossAttentionAlone) {
    EXPECT_THAT(refusalOf({{"defaults", {{"relative", "rotary"}}}}), IsEmpty());
    const auto variant = testing_support::resolveTiny({{"defaults", {{"relative", "alibi"}}}});
    for (const ResolvedSublayer* sublayer : sublayersOf(variant)) {
        if (!sublayer->slots.contains("relative")) continue;
        EXPECT_EQ(sublayer->slots.at("relative").id, sublayer->name == "cross" ? "none" : "alibi") << sublayer->path;
    }
    const Json across{{"name", "cross"}, {"relative", "t5"}};
    EXPECT_THAT(refusalOf({{"decoder", {{"sublayers", {Json{{"name", "self"}}, across, Json{{"name", "ffn"}}}}}}}),
                HasSubstr("cross-attention has no distance"));
}

TEST(Relative, SaysWhichNumbersMeanNothing) {
    const auto t5 = [](const Json& over) {
        Json relative{{"kind", "t5"}};
        relative.update(over);
        return refusalOf(modelWith({{"relative", relative}}));
    };
    EXPECT_THAT(t5({{"side", "both"}}), HasSubstr("mask \"causal\" hides the keys after the query"));
    EXPECT_THAT(t5({{"side", "past"}}), IsEmpty());
    EXPECT_THAT(t5({{"max_distance", 16}}), AllOf(HasSubstr("self.relative.max_distance|"), HasSubstr("above 16")));
    const Json rotary{{"relative", {{"kind", "rotary"}, {"share", 0.3}}}};
    EXPECT_THAT(refusalOf(modelWith(rotary)), HasSubstr("no pair of the 4 components"));
    EXPECT_THAT(refusalOf(modelWith(rotary, {{"key_dim", 8}})), IsEmpty());
    EXPECT_THAT(refusalOf(modelWith({{"relative", "rotary"}}, {{"key_dim", 5}})), HasSubstr("must be even"));
}

TEST(Relative, OfTheFirstLayerIsTheTableOfTheStack) {
    const Json shared{{"relative", {{"kind", "t5"}, {"scope", "stack"}}}}, own{{"relative", "t5"}};
    const auto one = buildTiny(modelWith(shared)), each = buildTiny(modelWith(own));
    EXPECT_EQ(each->parameters().count() - one->parameters().count(), 32 * 4);
    EXPECT_TRUE(one->parameters().find("decoder.layers.0.self.relative.weight").defined());
    EXPECT_FALSE(one->parameters().find("decoder.layers.1.self.relative.weight").defined());
    Json exception = modelWith(shared);
    exception["decoder"]["layers"]["0"]["self"]["relative"] = "none";
    EXPECT_TRUE(buildTiny(exception)->parameters().find("decoder.layers.1.self.relative.weight").defined())
        << "the first layer that has one";
}

TEST(KeyHeads, AreKeptOnceForTheirGroup) {
    Dims dims{.d = 6, .heads = 4, .keyDim = 2, .valueDim = 2, .kvHeads = 2};
    const at::Tensor x = verify::normalTensor({3, 5, 6}, 4);
    const auto scorer = OneBlock{"scorer", "dot", Json::object(), dims}.make<Scorer>(at::kDouble);
    const auto value = OneBlock{"value", "heads_proj", Json::object(), dims}.make<Value>(at::kDouble);
    EXPECT_EQ(dynamic_cast<const IncrementalScorer&>(*scorer.block).keep(x, {}).sizes(), (at::IntArrayRef{3, 2, 5, 2}));
    EXPECT_EQ(dynamic_cast<const IncrementalValue&>(*value.block).keep(x).sizes(), (at::IntArrayRef{3, 2, 5, 2}));
    EXPECT_EQ(value->heads(x).sizes(), (at::IntArrayRef{3, 4, 5, 2}));
}

TEST(KeyHeads, MustDivideTheHeadsOfBlocksThatGroup) {
    EXPECT_THAT(refusalOf(modelWith(Json::object(), {{"kv_heads", 3}})),
                AllOf(StartsWith("dims.kv_heads|3 heads of keys do not divide 4 heads"), HasSubstr("or null")));
    for (const auto& [slot, block] : {std::pair{"scorer", "grouped"}, std::pair{"value", "heads_noproj"}})
        EXPECT_THAT(refusalOf(modelWith({{slot, block}}, {{"kv_heads", 2}})),
                    AllOf(HasSubstr(std::string("self.") + slot + "|"), HasSubstr("does not group its heads")));
}

TEST(ValueCarry, NeedsValuesOfEveryHead) {
    EXPECT_THAT(refusalOf(modelWith({{"value_carry", "first_layer"}, {"value", "directional"}})),
                AllOf(HasSubstr("self.value|"), HasSubstr("needs values of every head")));
    Json still = modelWith({{"value_carry", "first_layer"}}, {{"layers_dec", 1}});
    still["decoder"]["share"] = "fixed_point";
    EXPECT_THAT(refusalOf(still), HasSubstr("cannot carry values from earlier layers"));
    Json shared = modelWith({{"value_carry", {{"kind", "first_layer"}, {"learned", true}}}});
    shared["decoder"]["share"] = "shared";
    EXPECT_THAT(refusalOf(shared), HasSubstr("value_carry.learned|"));
}

TEST(ValueCarry, ReadsNothingWithTheFactorsZeroAndOne) {
    const Json none{{"value_carry", {{"kind", "first_layer"}, {"first", 0}, {"own", 1}}}};
    EXPECT_LT(distance(streamOf(*buildTiny(modelWith(none))), streamOf(*buildTiny(modelWith(Json::object())))), 1e-12);
}

TEST(ValueCarry, ShowsItsFactorsAndLetsThemBeClamped) {
    const Json carry{{"kind", "first_layer"}, {"first", 0.25}, {"own", 0.75}, {"learned", true}};
    const auto model = buildTiny(modelWith({{"value_carry", carry}}));
    const std::string path = "decoder.layers.1.self.value_carry.lambda";
    const at::NoGradGuard noGrad;
    for (const auto way : {Forward::Path::Fused, Forward::Path::Reference}) {
        RecordingTaps taps;
        const at::Tensor plain = streamOf(*model, {.path = way});
        EXPECT_LT(distance(streamOf(*model, {.taps = &taps, .path = way}), plain), 1e-12) << "watching changes nothing";
        EXPECT_TRUE(at::equal(taps.seen().at(path), at::tensor({0.25, 0.75}, at::kDouble)));
        EXPECT_FALSE(taps.seen().contains("decoder.layers.0.self.value_carry.lambda")) << "it has no layer before it";
        EXPECT_GT(distance(streamOf(IntervenedModel(*model, {ClampExposure{path, 0.5}}), {.path = way}), plain), 1e-9);
    }
}

TEST(Cap, BoundsTheLogitsAndIsNoneWithoutABound) {
    const auto cap = OneBlock{"cap", "soft", {{"limit", 2}}, {}}.make<LogitCap>(at::kDouble);
    const at::Tensor s = verify::normalTensor({1, 2, 3, 4}, 5) * 10;
    EXPECT_LE(cap->capped(s, {}).abs().max().item<double>(), 2);
    const auto far = buildTiny(modelWith({{"cap", {{"kind", "soft"}, {"limit", 1e6}}}})),
               plain = buildTiny(modelWith(Json::object()));
    EXPECT_LT(distance(streamOf(*far), streamOf(*plain)), 1e-9);
    EXPECT_THAT(refusalOf({{"dims", {{"heads", 1}}},
                           {"topology", "encoder"},
                           {"encoder",
                            {{"sublayers", {{{"name", "star"}, {"scorer", "chain"}, {"value", "single"}, {"cap", "soft"}}}}}}}),
                HasSubstr("there are no logits to bound"));
}

TEST(Sink, TakesTheRestOfTheWeights) {
    const auto normaliser = OneBlock{"normaliser", "sink", Json::object(), {.heads = 2}}.make<Normaliser>(at::kDouble);
    const at::NoGradGuard noGrad;
    const at::Tensor z = verify::normalTensor({1, 2, 3, 4}, 5);
    at::Tensor sink = normaliser.store.find("block.sink");
    EXPECT_EQ(sink.abs().max().item<double>(), 0);
    EXPECT_LT(distance(normaliser->normalise(z), z.exp() / (1 + z.exp().sum(-1, true))), 1e-14);
    sink.fill_(-1e4);
    EXPECT_LT(distance(normaliser->normalise(z), at::softmax(z, -1)), 1e-14);
    EXPECT_TRUE(normaliser->normalise(at::full({1, 2, 1, 3}, kHiddenScore, at::kDouble)).isfinite().all().item<bool>());
}

TEST(ReluSquared, IsTheSquareOfRelu) {
    const at::Tensor x = verify::normalTensor({20}, 3);
    EXPECT_TRUE(at::equal(activated(Activation::Relu2, x), at::where(x.gt(0), x * x, at::zeros_like(x))));
}

TEST(OutputNorm, StandsBeforeTheResidualConnection) {
    const auto norm = [](const char* place) { return Json{{"norm", {{"kind", "rmsnorm"}, {"place", place}}}}; };
    for (const char* place : {"sandwich", "res_post"}) {
        const auto model = buildTiny(modelWith(norm(place)));
        RecordingTaps taps;
        streamOf(*model, {.taps = &taps});
        const at::Tensor output_BSD = taps.seen().at("decoder.layers.0.self.sublayer_output");
        EXPECT_LT(distance(output_BSD.square().mean(-1), at::ones({1, 8}, at::kDouble)), 1e-3) << place;
    }
    const Json final{{"defaults", {{"norm", {{"kind", "layernorm"}, {"place", "sandwich"}, {"final", 1}}}}}};
    EXPECT_FALSE(buildTiny(final)->parameters().find("encoder.norm.output.weight").defined())
        << "the norm at the end of a stack has no place";
}

}  // namespace
}  // namespace heddle
