// SPDX-License-Identifier: Apache-2.0
// Score carries and score gates beyond the golden cases: every switch, dropout, inference, lengths.
#include "engine/base/error.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/verify/one_block.h"
#include "engine/verify/score_stack.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::distance;
using testing_support::resolveTiny;
using verify::ScoreStack;

constexpr std::int64_t kLayers = 4, kLength = 5;

const Json kPlainGate = Json::object();

Json scoreGated(const Json& gate = kPlainGate, const Json& over = Json::object()) {
    Json rule{{"rule", "add"}, {"offsets", {1, 2}}, {"gate", gate}};
    rule.update(over);
    return rule;
}

/// A causal stack of that rule over random scores, its gates filled by their paths.
ScoreStack stackOf(const Json& rule, std::int64_t maxLen = kLength) {
    ScoreStack::Choice choice;
    choice.score = rule;
    choice.mask = "causal";
    choice.maxLen = maxLen;
    for (std::int64_t i = 0; i < kLayers; ++i)
        choice.scores.push_back(
            normal(randomKey(5, "scores" + std::to_string(i)), {2, 3, kLength, kLength}, 0, 1).set_requires_grad(true));
    ScoreStack stack(choice);
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : stack.store().entries()) {
        at::Tensor parameter = tensor;
        if (path.find(".gate") != std::string::npos) parameter.copy_(normal(randomKey(6, path), tensor.sizes(), 0, 0.7));
    }
    return stack;
}

at::Tensor logitsOf(const ScoreStack& stack, const Forward& f = {}) {
    stack.run(at::ones({2, 3, kLength, 1}, at::kDouble), f);
    const at::Tensor isFuture = at::ones({kLength, kLength}, at::kBool).triu(1);
    return stack.seen(stack.path(-1) + ".logits").detach().masked_fill(isFuture, 0);
}

Forward training(std::uint64_t step = 1) { return {.training = true, .seed = 7, .step = step}; }

/// A switch of variants.md 4.6 and 5: thrown, the last layer's logits are others.
struct ScoreSwitch {
    std::string name;
    Json rule;
    bool trains = false;
};

std::vector<ScoreSwitch> switches() {
    std::vector<ScoreSwitch> all{{"offsets", scoreGated(kPlainGate, {{"offsets", {2}}})},
                                 {"accumulated", scoreGated(kPlainGate, {{"source", "accumulated"}})},
                                 {"probs", scoreGated(kPlainGate, {{"source", "probs"}})},
                                 {"mean", scoreGated(kPlainGate, {{"mean", true}})},
                                 {"no gate", scoreGated(nullptr)},
                                 {"drop", scoreGated({{"infer", "drop"}})},
                                 {"identity", scoreGated({{"infer", "identity"}})},
                                 {"score dropout", scoreGated({{"score_dropout", 0.5}}), true}};
    const auto add = [&](const char* key, std::initializer_list<const char*> values) {
        for (const char* value : values) all.push_back({std::string(key) + " " + value, scoreGated({{key, value}})});
    };
    add("act", {"sigmoid", "relu", "hardtanh"});
    add("bias", {"none", "full", "scalar"});
    add("heads", {"shared"});
    add("mask_prev", {"raw", "neg_large"});
    add("owner", {"producer"});
    all.push_back({"per source", scoreGated({{"per_source", true}})});
    for (const char* mode : {"zero", "identity", "element"})
        all.push_back({std::string("dropout ") + mode, scoreGated({{"dropout", {{"p", 0.9}, {"mode", mode}}}}), true});
    return all;
}

class EverySwitch : public ::testing::TestWithParam<ScoreSwitch> {};
INSTANTIATE_TEST_SUITE_P(Scores, EverySwitch, ::testing::ValuesIn(switches()), [](const auto& tested) {
    std::string name = tested.param.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

TEST_P(EverySwitch, HasAnEffect) {
    const ScoreStack plain = stackOf(scoreGated()), thrown = stackOf(GetParam().rule);
    if (!GetParam().trains) {
        EXPECT_GT(distance(logitsOf(plain), logitsOf(thrown)), 1e-6);
        return;
    }
    double largest = 0;  // over some steps: a whole gate is not dropped in every one
    for (std::uint64_t step = 1; step <= 4; ++step)
        largest = std::max(largest, distance(logitsOf(plain, training(step)), logitsOf(thrown, training(step))));
    EXPECT_GT(largest, 1e-6);
    EXPECT_EQ(distance(logitsOf(plain), logitsOf(thrown)), 0) << "nothing is dropped when not training";
}

TEST_P(EverySwitch, IsCountedAsItIsBuilt) {
    const ScoreStack stack = stackOf(GetParam().rule);
    for (std::int64_t layer = 0; layer < kLayers; ++layer)
        EXPECT_EQ(stack.counts(layer).built, stack.counts(layer).formula) << layer;
}

TEST(ScoreGate, GatesOfProducersAreThoseOfConsumersALayerEarlier) {
    const Json one{{"offsets", {1}}};
    const ScoreStack consumers = stackOf(scoreGated(kPlainGate, one)),
                     producers = stackOf(scoreGated({{"owner", "producer"}}, one));
    const at::NoGradGuard noGrad;
    for (std::int64_t layer = 1; layer < kLayers; ++layer)
        for (const char* name : {".gate.weight", ".gate.bias"}) {
            at::Tensor parameter = producers.store().find(producers.path(layer - 1) + name);
            parameter.copy_(consumers.store().find(consumers.path(layer) + name));
        }
    EXPECT_EQ(distance(logitsOf(consumers), logitsOf(producers)), 0);
}

TEST(ScoreGate, GatesThatNothingEntersCanBeLeftOut) {
    const auto layersWithGates = [](const Json& gate, const Json& over) {
        const ScoreStack stack = stackOf(scoreGated(gate, over));
        std::string layers;
        for (std::int64_t layer = 0; layer < kLayers; ++layer) layers += stack.counts(layer).formula > 0 ? "g" : "-";
        logitsOf(stack);  // runs: no gate is missed
        return layers;
    };
    const Json withPrev{{"count", "with_prev"}};
    EXPECT_EQ(layersWithGates(kPlainGate, {{"offsets", {1}}}), "gggg");
    EXPECT_EQ(layersWithGates(withPrev, {{"offsets", {1}}}), "-ggg");
    EXPECT_EQ(layersWithGates(withPrev, {{"offsets", {2}}}), "--gg");
    EXPECT_EQ(layersWithGates(withPrev, {{"offsets", {3, 2}}}), "--gg");
    EXPECT_EQ(layersWithGates({{"count", "with_prev"}, {"owner", "producer"}}, {{"offsets", {1}}}), "ggg-");
    EXPECT_EQ(layersWithGates({{"count", "with_prev"}, {"owner", "producer"}}, {{"offsets", {2}}}), "gg--");
}

TEST(ScoreGate, PerSourceGatesThatNothingEntersCanBeLeftOut) {
    const ScoreStack stack = stackOf(scoreGated({{"per_source", true}, {"count", "with_prev"}}));
    const std::int64_t one = 3 * kLength * (kLength + 1);
    EXPECT_EQ(stack.counts(0).formula, 0);
    EXPECT_EQ(stack.counts(1).formula, one);
    EXPECT_EQ(stack.counts(2).formula, 2 * one);
    logitsOf(stack);
}

TEST(ScoreGate, ASharedLayerHasOneGateForAllPasses) {
    const auto variant = [](const Json& gate) {
        return resolveTiny({{"encoder", {{"share", "shared"}}}, {"defaults", {{"score", scoreGated(gate)}}}});
    };
    const auto encoderGates = [](const ResolvedVariant& resolved) {
        for (const ModuleCost& module : countCost(resolved).modules)
            if (module.path == "encoder.layers.0.self.score") return module.parameters;
        return std::int64_t{-1};
    };
    const std::int64_t one = 4 * 16 * 17;
    EXPECT_EQ(encoderGates(variant(kPlainGate)), one);
    const ResolvedVariant withPrev = variant({{"count", "with_prev"}});
    EXPECT_EQ(encoderGates(withPrev), one) << "the second pass reads the first";
    const auto model = buildModel(withPrev, 1, at::kDouble);
    EXPECT_NO_THROW(model->encode({testing_support::ids({4, 5, 3}), {}}, {}));
}

TEST(ScoreGate, WholeGatesAreDroppedOrKept) {
    for (const char* mode : {"zero", "identity"}) {
        const ScoreStack stack = stackOf(scoreGated({{"dropout", {{"p", 0.3}, {"mode", mode}}}}));
        const ScoreStack plain = stackOf(scoreGated());
        logitsOf(plain);
        const at::Tensor kept = plain.seen(plain.path(1) + ".gated");
        int dropped = 0;
        constexpr int kSteps = 100;
        for (int step = 0; step < kSteps; ++step) {
            logitsOf(stack, training(static_cast<std::uint64_t>(step)));
            const at::Tensor one = stack.seen(stack.path(1) + ".gated"), prev = stack.seen(stack.path(1) + ".prev");
            const at::Tensor gone = std::string(mode) == "zero" ? at::zeros_like(prev) : prev;
            const bool isDropped = at::equal(one, gone);
            EXPECT_TRUE(isDropped || at::equal(one, kept)) << step;
            dropped += isDropped ? 1 : 0;
        }
        EXPECT_NEAR(dropped, 0.3 * kSteps, 18) << mode;
    }
}

TEST(ScoreGate, ShorterSequencesGetWhatInferSays) {
    const auto seenWith = [](const char* infer, const Forward& f) {
        const ScoreStack stack = stackOf(scoreGated({{"infer", infer}}));
        logitsOf(stack, f);
        return std::pair(stack.seen(stack.path(-1) + ".gated"), stack.seen(stack.path(-1) + ".prev"));
    };
    EXPECT_EQ(seenWith("drop", {}).first.abs().max().item<double>(), 0);
    const auto [gatedScores, prev] = seenWith("identity", {});
    EXPECT_TRUE(at::equal(gatedScores, prev));
    EXPECT_TRUE(at::equal(seenWith("drop", training()).first, seenWith("slice", training()).first)) << "when training alike";
}

TEST(ScoreGate, RefusesWhatIsLongerThanItself) {
    for (const Forward& f : {Forward{}, training()}) {
        const ScoreStack stack = stackOf(scoreGated({{"max_len", kLength - 1}}), 16);
        try {
            logitsOf(stack, f);
            FAIL();
        } catch (const Error& error) {
            EXPECT_NE(error.problem().find("5 tokens"), std::string::npos) << error.what();
            EXPECT_EQ(error.where(), "encoder.layers.1.self.score.gate");
            EXPECT_NE(error.next().find("max_len"), std::string::npos);
        }
    }
    EXPECT_NO_THROW(logitsOf(stackOf(scoreGated({{"max_len", kLength - 1}, {"infer", "drop"}}), 16)));
}

TEST(ScoreGate, BoundsTheSequencesOfItsModel) {
    const auto longest = [](const Json& gate) {
        return longestSequence(resolveTiny({{"defaults", {{"score", scoreGated(gate)}}}}));
    };
    EXPECT_EQ(longest(kPlainGate), 16);
    EXPECT_EQ(longest({{"max_len", 7}}), 7);
    EXPECT_EQ(longest({{"max_len", 40}}), 16);
}

TEST(ScoreGate, StartsAsItsInitSays) {
    const auto weight = [](const char* init) {
        const verify::OneBlock choice{"score", "add", {{"gate", {{"init", init}}}}, {.maxLen = 12}};
        const ParameterStore store = choice.make<ScoreRule>(at::kDouble).store;
        EXPECT_EQ(store.find("block.gate.bias").abs().max().item<double>(), 0);
        return store.find("block.gate.weight").detach();
    };
    EXPECT_EQ(weight("zeros").abs().max().item<double>(), 0);
    EXPECT_TRUE(at::equal(weight("identity_eps")[3], at::eye(12, at::kDouble) * 0.01));
    const double limit = std::sqrt(3.0 / 12), largest = weight("glorot").abs().max().item<double>();
    EXPECT_LE(largest, limit);
    EXPECT_GT(largest, 0.95 * limit);
}

TEST(ScoreCarry, EverySiteHasAChainOfItsOwn) {
    const auto rules = [](const Json& score) {
        const ResolvedVariant variant = resolveTiny({{"defaults", {{"score", score}}}});
        const auto rule = [](const ResolvedSublayer& sublayer) { return sublayer.slots.at("score").id; };
        return rule(variant.encoder[1].sublayers[0]) + " " + rule(variant.decoder[1].sublayers[0]) + " " +
               rule(variant.decoder[1].sublayers[1]);
    };
    EXPECT_EQ(rules({{"rule", "add"}}), "add add none");
    EXPECT_EQ(rules({{"rule", "add"}, {"sites", {"cross"}}}), "none none add");
    // Cross-attentions have other sizes than self-attentions: a chain that mixed them could not be added up.
    const auto model = testing_support::buildTiny(
        {{"defaults", {{"score", {{"rule", "add"}, {"sites", {"enc_self", "dec_self", "cross"}}, {"gate", Json::object()}}}}}});
    const at::Tensor source = testing_support::ids({4, 5, 6, 3}), target = testing_support::ids({2, 7, 8, 9, 10, 4, 5});
    EXPECT_TRUE(testing_support::logitsOf(*model, source, target).isfinite().all().item<bool>());
}

/// Twelve layers of bfloat16 scores, as products under autocast give them.
TEST(ScoreCarry, SumsOfBFloat16ScoresAreThoseOfFloat32) {
    for (const Json& rule : {Json{{"source", "accumulated"}}, Json{{"source", "raw"}, {"offsets", {1, 2, 3, 4}}}}) {
        const bool accumulates = rule.at("source") == "accumulated";
        const auto block = verify::OneBlock{"score", "add", rule, {}}.make<ScoreRule>(at::TensorOptions(at::kFloat));
        ScoreChain chain;
        const at::Tensor nothing;
        std::vector<at::Tensor> scores;
        ScoreRule::Sum sum;
        for (std::size_t layer = 0; layer < 12; ++layer) {
            const at::Tensor drawn = normal(randomKey(5, "scores" + std::to_string(layer)), {2, 3, 5, 5}, 0, 1);
            scores.push_back(drawn.to(at::kBFloat16).set_requires_grad(true));
            sum = block->add(scores.back(), {chain, nothing}, {});
            chain.push_back({scores.back(), sum.carried, {}, block.block.get()});
        }
        at::Tensor expected = at::zeros({2, 3, 5, 5}, at::kDouble), inBFloat16 = at::zeros({2, 3, 5, 5}, at::kBFloat16);
        for (std::size_t layer = accumulates ? 0 : 7; layer < 12; ++layer) {
            expected = expected + scores[layer].detach();
            inBFloat16 = inBFloat16 + scores[layer].detach();
        }
        EXPECT_EQ(sum.carried.scalar_type(), at::kFloat);
        EXPECT_LT(distance(sum.logits.detach(), expected), 1e-5);
        EXPECT_GT(distance(inBFloat16, expected), 1e-3) << "sums in bfloat16 would pass";

        const at::Tensor dy = normal(randomKey(6, "dy"), {2, 3, 5, 5}, 0, 1).to(at::kFloat);
        sum.carried.backward(dy);
        EXPECT_TRUE(at::equal(scores[8].grad(), dy.to(at::kBFloat16))) << "rounded once";
    }
}

TEST(ScoreCarry, RefusesOffsetsThatSayNothing) {
    for (const Json& offsets : {Json::array(), Json{1, 1}, Json{0}, Json{1, 2, 3, 4, 5}})
        EXPECT_THROW(resolveTiny({{"defaults", {{"score", {{"rule", "add"}, {"offsets", offsets}}}}}}), Error) << offsets;
}

}  // namespace
}  // namespace heddle
