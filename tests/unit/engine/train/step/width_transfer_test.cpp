// SPDX-License-Identifier: Apache-2.0
// Width transfer (dims.base_d): the maximal update parametrisation beside the authors' package (tests/oracle/width_oracle.py),
// and the coordinate check of Yang et al. 2022, appendix D.1: how much activations change in a few steps does not depend on the
// width.
//
//   HEDDLE_COORDINATES=512 engine_test --gtest_filter='WidthTransfer.*'      widths up to 512 instead of 128; prints the
//   changes
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/blocks/connections.h"
#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/task_kinds.h"
#include "engine/train/step/optimizer.h"
#include "engine/train/step/parameter_groups.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace heddle {
namespace {

using testing::HasSubstr;
using testing_support::buildTiny;
using testing_support::distance;

Json decoderOf(const Json& dims) { return {{"topology", "decoder"}, {"position", "learned"}, {"dims", dims}}; }

Json transferred(Json dims, const Json& base) {
    for (const char* size : {"d", "f", "heads"}) dims[std::string("base_") + size] = base.at(size);
    return dims;
}

TEST(WidthTransfer, HasTheStartsAndRatesOfThePackageOfItsAuthors) {
    const Json wanted = readJsonFile(HEDDLE_SOURCE_DIR "/tests/oracle/width.json");
    Json dims{{"d", wanted["sizes"]["d"]}, {"f", wanted["sizes"]["f"]}, {"heads", wanted["sizes"]["heads"]}, {"layers_dec", 1}};
    const auto plain = buildTiny(decoderOf(dims)), model = buildTiny(decoderOf(transferred(dims, wanted["base"])));
    std::map<std::string, ParameterSettings> settings;
    TrainSpec train;
    train.weightDecay = 0.1;
    for (const ParameterSettings& one : parameterSettings(model->parameters(), train)) settings[one.path] = one;
    ASSERT_EQ(settings.size(), wanted["parameters"].size());
    for (const auto& [path, of] : wanted["parameters"].items()) {
        ASSERT_TRUE(settings.contains(path)) << path;
        const at::Tensor expected = plain->parameters().find(path) * of.at("start").get<double>();
        EXPECT_LT(distance(model->parameters().find(path), expected), 1e-5) << path << ": the same draw, scaled";
        EXPECT_DOUBLE_EQ(settings.at(path).rate, of.at("rate").get<double>()) << path;
        EXPECT_DOUBLE_EQ(settings.at(path).weightDecay, 0.1 * of.at("decay").get<double>()) << path;
    }
    const at::Tensor hidden = at::ones({1, 64}, at::kDouble), bias = model->parameters().find("head.bias");
    const at::Tensor weight = model->parameters().find("head.weight");
    EXPECT_LT(distance(model->logits(hidden), at::matmul(hidden, weight.t()) * wanted["output_factor"].get<double>() + bias),
              1e-12);
}

TEST(WidthTransfer, LeavesTheBaseModelAsItIs) {
    for (const Json& over :
         {Json::object(), Json{{"embed", {{"source", "tied_out"}, {"scale", "sqrt_d"}}}},
          Json{{"init", "xavier_uniform"}, {"defaults", {{"scorer", {{"kind", "dot"}, {"scale", "sqrt_d"}}}}}}}) {
        Json document = decoderOf({{"d", 16}});
        document.merge_patch(over);
        const auto plain = buildTiny(document);
        document["dims"]["base_d"] = 16;
        const auto model = buildTiny(document);
        for (const auto& [path, tensor] : plain->parameters().entries())
            EXPECT_TRUE(at::equal(tensor, model->parameters().find(path))) << path;
        const at::Tensor ids = testing_support::ids({2, 5, 6, 7});
        EXPECT_TRUE(
            at::equal(plain->logits(plain->decode({ids, {}}, {}, {})), model->logits(model->decode({ids, {}}, {}, {}))));
        for (const ParameterSettings& one : parameterSettings(model->parameters(), TrainSpec())) EXPECT_EQ(one.rate, 1);
    }
}

/// The deviation that transfers between widths is that of the values that are drawn.
TEST(WidthTransfer, EveryInitTellsItsDeviation) {
    for (const BlockDescriptor* block : builtinCatalogue().ofSlot("init")) {
        const auto init = makeInit({block->id, withDefaults(parameterSchema(*block), Json::object())});
        const RandomKey key = randomKey(3, "init");
        for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{300, 200}, {150, 400}}) {
            const double matrix = init->matrix(key, sizes).std().item<double>();
            EXPECT_NEAR(init->matrixDeviation(sizes) / matrix, 1, 0.01) << block->id;
            const double table = init->table(key, sizes, 0.5).std().item<double>();
            EXPECT_NEAR(init->tableDeviation(sizes, 0.5) / table, 1, 0.01) << block->id;
        }
    }
}

/// Keys that are wider than those of the base model have scores divided by their width, not by its root.
TEST(WidthTransfer, DividesScoresByTheWidthOfAKey) {
    for (const char* kind : {"dot", "qk_norm", "rotary", "grouped"}) {
        const Json defaults{
            {"defaults", {{"scorer", kind}, {"value", std::string(kind) == "grouped" ? "grouped" : "heads_proj"}}},
            {"position", "none"}};
        Json document = decoderOf({{"d", 64}, {"heads", 4}});
        document.merge_patch(defaults);
        const auto plain = buildTiny(document);
        document["dims"]["base_d"] = 16;
        const auto model = buildTiny(document);
        testing_support::copyShared(*model, *plain);
        const auto scoresOf = [](const Model& of) {
            RecordingTaps taps;
            Forward f;
            f.taps = &taps;
            of.decode({testing_support::ids({2, 5, 6, 7}), {}}, {}, f);
            return taps.seen().at("decoder.layers.0.self.scorer.score");
        };
        EXPECT_LT(distance(scoresOf(*model), scoresOf(*plain) / 2), 1e-12) << kind << ": √(16 / 64) of the standard scores";
    }
}

std::string transferRefusal(const Json& over) {
    try {
        const ResolvedVariant variant = testing_support::resolveTiny(over);
        buildModel(variant, 1);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(WidthTransfer, IsRefusedWhereNoRuleIsKnown) {
    const auto withBlock = [](const char* slot, const Json& block) {
        Json document = decoderOf({{"d", 32}, {"base_d", 16}});
        document["defaults"] = {{slot, block}, {"norm", {{"kind", "layernorm"}, {"place", "pre"}}}};
        return document;
    };
    EXPECT_EQ(transferRefusal(withBlock("residual", "grc")), "");
    Json gated = withBlock("residual", "add");
    gated["decoder"]["sublayers"] = {Json{{"name", "self"}, {"adjuster", "output_gate"}}, Json{{"name", "ffn"}}};
    EXPECT_EQ(transferRefusal(gated), "");
    EXPECT_THAT(transferRefusal(withBlock("residual", "attn_res")), HasSubstr("no rule is known by which block \"attn_res\""));
    EXPECT_THAT(transferRefusal(withBlock("normaliser", "differential")), HasSubstr("block \"differential\""));
    EXPECT_THAT(transferRefusal(withBlock("residual", "mhc")),
                HasSubstr("is wider than the base model's, and its output is not"));
    EXPECT_THAT(transferRefusal(decoderOf({{"d", 32}, {"f", 24}, {"base_d", 16}, {"base_f", 24}})),
                HasSubstr("ffn.ffn.in.weight"));
    EXPECT_THAT(transferRefusal(decoderOf({{"d", 32}, {"f", 25}, {"base_d", 16}})), HasSubstr("dims.base_f"));
    EXPECT_THAT(transferRefusal(decoderOf({{"d", 32}, {"f", 32}, {"base_d", 18}})),
                HasSubstr("base_d = 18 is not divisible by 4 heads"));
    EXPECT_THAT(transferRefusal(decoderOf({{"d", 32}, {"base_f", 18}})), HasSubstr("set dims.base_d"));
    RunSpec run = RunSpec::parse({{"variant", testing_support::tinyVariant(decoderOf({{"d", 32}, {"base_d", 16}}))},
                                  {"data", {{"task", "causal_lm"}}},
                                  {"train", {{"optimizer", {{"kind", "muon"}}}}}},
                                 builtinCatalogue());
    EXPECT_THROW(throwIfNotTrainable(run), Error);
    run.train.optimizer = OptimizerKind::Adam;
    EXPECT_NO_THROW(throwIfNotTrainable(run));
}

/// Mean absolute changes of activations within some steps, by name.
using ActivationChanges = std::map<std::string, double>;

ActivationChanges activationsOf(const Model& model, const at::Tensor& ids_BS, std::map<std::string, at::Tensor>& values) {
    RecordingTaps taps;
    Forward f;
    f.taps = &taps;
    const at::NoGradGuard noGrad;
    const at::Tensor logits = model.logits(model.decode({ids_BS, {}}, {}, f));
    std::map<std::string, at::Tensor> now{{"logits", logits}};
    for (const char* layer : {"decoder.layers.0.", "decoder.layers.1."})
        for (const char* name : {"self.scorer.score", "self.sublayer_output", "ffn.sublayer_output"})
            now[std::string(layer) + name] = taps.seen().at(std::string(layer) + name);
    ActivationChanges changes;
    for (const auto& [name, value] : values) changes[name] = (now.at(name) - value).abs().mean().item<double>();
    values = std::move(now);
    return changes;
}

/// Changes of activations in four steps of Adam at this width, mean over three seeds.
ActivationChanges changesAt(std::int64_t width, bool transfers) {
    constexpr std::int64_t kBase = 32, kSeeds = 3, kWords = 48;
    Json dims{{"d", width}, {"f", 4 * width}, {"heads", 4}, {"vocab_src", kWords}, {"vocab_tgt", kWords}, {"max_len", 32}};
    if (transfers) dims["base_d"] = kBase;
    Json document = decoderOf(dims);
    document["defaults"]["norm"] = {{"kind", "layernorm"}, {"place", "pre"}, {"final", 1}};
    const at::Tensor ids_BS = uniform(randomKey(1, "words"), {8, 17}, 4, kWords).to(at::kLong);
    const at::Tensor in_BS = ids_BS.narrow(1, 0, 16), labels_N = ids_BS.narrow(1, 1, 16).flatten();
    ActivationChanges mean;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const auto model = buildTiny(document, at::kFloat, seed);
        TrainSpec train;
        train.weightDecay = 0, train.clip = 0;
        Optimizer optimizer(model->parameters(), train);
        std::map<std::string, at::Tensor> values;
        activationsOf(*model, in_BS, values);
        for (int step = 0; step < 4; ++step) {
            const at::Tensor logits = model->logits(model->decode({in_BS, {}}, {}, {}));
            const at::Tensor loss = at::cross_entropy_loss(logits.flatten(0, 1), labels_N);
            loss.backward();
            optimizer.update(0.01, loss.detach());
        }
        for (const auto& [name, change] : activationsOf(*model, in_BS, values)) mean[name] += change / kSeeds;
    }
    return mean;
}

TEST(WidthTransfer, ChangesOfActivationsDoNotGrowWithTheWidth) {
    const char* const given = std::getenv("HEDDLE_COORDINATES");
    const std::int64_t widest = given ? std::atoll(given) : 128;
    std::map<bool, ActivationChanges> growth;  // of the widest model ÷ of the base model, as a power of the width
    for (const bool transfers : {true, false}) {
        ActivationChanges first, last;
        for (std::int64_t width = 32; width <= widest; width *= given ? 2 : 4) {
            last = changesAt(width, transfers);
            if (first.empty()) first = last;
            for (const auto& [name, change] : last)
                if (given)
                    std::printf("%-6s width %4lld %-40s %.4f\n", transfers ? "base_d" : "none", static_cast<long long>(width),
                                name.c_str(), change);
        }
        const double octaves = std::log2(static_cast<double>(widest) / 32);
        for (const auto& [name, change] : last) growth[transfers][name] = std::log2(change / first.at(name)) / octaves;
    }
    for (const auto& [name, power] : growth[true]) {
        EXPECT_LT(power, 0.25) << name << " with base_d";
        // In the first steps scores change less in wider models: the queries that keys grow towards are still random.
        EXPECT_GT(power, name.ends_with("score") ? -0.7 : -0.25) << name << " with base_d";
    }
    for (const char* name : {"logits", "decoder.layers.1.self.scorer.score", "decoder.layers.1.ffn.sublayer_output"})
        EXPECT_GT(growth[false][name], 0.3) << name << " without base_d";
}

}  // namespace
}  // namespace heddle
