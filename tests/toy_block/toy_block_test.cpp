// SPDX-License-Identifier: Apache-2.0
// "Adding a block touches one file and one line": half.cpp, past.cpp, bare.cpp and plain.cpp, and the lines that
// tests/CMakeLists.txt puts into a copy of the list. Everything else is the library as it is; its catalogue and factory give
// way to this program's, which come first. What the rules know of these blocks is what their descriptors say.
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/model/built_modules.h"
#include "engine/spec/cost.h"
#include "engine/spec/manual.h"
#include "engine/spec/task_kinds.h"
#include "engine/spec/variant_rules.h"
#include "engine/tasks/loss.h"
#include "engine/train/step/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Json document() {
    return {{"preset", "eau-base"},
            {"dims",
             {{"d", 16}, {"f", 24}, {"heads", 2}, {"layers_enc", 2}, {"layers_dec", 2}, {"vocab_src", 11}, {"vocab_tgt", 13}}},
            {"defaults", {{"residual", "half"}}}};
}

ResolvedVariant variant() { return VariantSpec::parse(document(), builtinCatalogue()).resolve(); }

at::Tensor logitsOf(const Model& model) {
    const at::Tensor source = at::tensor({4, 5, 6, 7, 8}, at::kLong).unsqueeze(0),
                     target = at::tensor({2, 9, 10, 11}, at::kLong).unsqueeze(0);
    const Forward f{.training = true};
    const Memory memory{model.encode({source, {}}, f), source};
    return model.logits(model.decode({target, {}}, memory, f)).flatten(0, 1);
}

/// A small model of language with these slots. "self" is the adjuster of its attention alone.
Json languageDocument(Json defaults) {
    Json document{{"topology", "decoder"},
                  {"dims", {{"d", 16}, {"f", 24}, {"heads", 2}, {"layers_dec", 2}, {"vocab_tgt", 13}}}};
    if (const auto own = defaults.find("self"); own != defaults.end()) {
        document["decoder"]["sublayers"] = {{{"name", "self"}, {"adjuster", *own}}, {{"name", "ffn"}}};
        defaults.erase(own);
    }
    document["defaults"] = std::move(defaults);
    return document;
}

ResolvedVariant languageModel(const Json& defaults) {
    return VariantSpec::parse(languageDocument(defaults), builtinCatalogue()).resolve();
}

RunSpec runOf(const Json& defaults) {
    return RunSpec::parse({{"schema", 1}, {"variant", languageDocument(defaults)}, {"data", {{"task", "causal_lm"}}}},
                          builtinCatalogue());
}

/// What the first problem of such a model says; empty: there is none.
std::string refusalOf(const Json& defaults) {
    std::vector<Problem> problems;
    VariantSpec::parse(languageDocument(defaults), builtinCatalogue(), problems);
    return problems.empty() ? "" : problems.front().what;
}

/// The logits [S,V] after each of these words.
at::Tensor wordsAfter(const Model& model, const std::vector<std::int64_t>& words) {
    const at::Tensor target = at::tensor(words, at::kLong).unsqueeze(0);
    return model.logits(model.decode({target, {}}, Memory{}, {})).flatten(0, 1);
}

std::int64_t parametersOf(const Model& model) {
    std::int64_t sum = 0;
    for (const auto& [path, block, count] : builtModules(model)) sum += count;
    return sum;
}

/// Returns whether one training step on the logits [4,V] of four words changes the parameter.
bool changesInAStep(const Model& model, const std::string& path, const std::function<at::Tensor()>& logits) {
    Optimizer optimizer(model.parameters(), TrainSpec{});
    const at::Tensor parameter = model.parameters().find(path);
    const at::Tensor before = parameter.detach().clone();
    const at::Tensor logits_NV = logits();
    const LossSums loss = crossEntropyWithGradient(logits_NV, at::tensor({9, 10, 11, 12}, at::kLong), {0.1, 0.25});
    logits_NV.backward(loss.gradient);
    optimizer.update(1e-3, loss.objective);
    return !at::equal(parameter, before);
}

TEST(ToyBlock, IsInTheCatalogueValidationAndTheManual) {
    EXPECT_EQ(builtinCatalogue().at("residual", "half").title, "Half a residual");
    std::vector<Problem> problems;
    Json wrong = document();
    wrong["defaults"]["residual"] = {{"kind", "half"}, {"gate", 1}};
    VariantSpec::parse(wrong, builtinCatalogue(), problems);
    ASSERT_FALSE(problems.empty());
    EXPECT_THAT(problems.front().what, HasSubstr("gate"));
    EXPECT_THAT(blockManual(builtinCatalogue()), HasSubstr("Half a residual"));
}

TEST(ToyBlock, IsCountedAndBuilt) {
    const auto model = buildModel(variant(), 1);
    std::int64_t parameters = 0, ofTheBlock = 0;
    for (const auto& [path, block, count] : builtModules(*model)) {
        parameters += count;
        if (path.ends_with(".residual")) ofTheBlock += count;
    }
    EXPECT_EQ(ofTheBlock, 2 * 2 + 2 * 3) << "one number a sublayer";
    EXPECT_EQ(parameters, countCost(variant()).parameters);
}

TEST(ToyBlock, ReadsItsOption) {
    const auto logitsWith = [](double share) {
        Json changed = document();
        changed["defaults"]["residual"] = {{"kind", "half"}, {"share", share}};
        return logitsOf(*buildModel(VariantSpec::parse(changed, builtinCatalogue()).resolve(), 1));
    };
    const at::Tensor standard = logitsOf(*buildModel(variant(), 1));
    EXPECT_TRUE(at::equal(logitsWith(0.5), standard));
    EXPECT_FALSE(at::equal(logitsWith(1), standard));
}

TEST(ToyBlock, LearnsInAStep) {
    const auto model = buildModel(variant(), 1);
    EXPECT_TRUE(changesInAStep(*model, "decoder.layers.1.ffn.residual.w", [&] { return logitsOf(*model); }));
}

TEST(ToyMask, HidesTheFuture) {
    EXPECT_THAT(futureViews(languageModel({{"mask", "past"}})), IsEmpty());
    EXPECT_THAT(futureViews(languageModel({{"mask", "padding"}})), SizeIs(1));
    EXPECT_NO_THROW(throwIfAnswerIsVisible(runOf({{"mask", "past"}})));
    EXPECT_THROW(throwIfAnswerIsVisible(runOf({{"mask", "padding"}})), Error);
    const auto model = buildModel(languageModel({{"mask", "past"}}), 1);
    const at::Tensor first = wordsAfter(*model, {2, 9, 10, 11}), changed = wordsAfter(*model, {2, 9, 10, 5});
    EXPECT_TRUE(at::equal(first.narrow(0, 0, 3), changed.narrow(0, 0, 3)));
    EXPECT_FALSE(at::equal(first[3], changed[3]));
}

TEST(ToyMask, IsRefusedWhereTheFutureIsNeeded) {
    const Json selector{{"kind", "sea"}, {"k", 2}, {"columns", 4}, {"group", "head"}};
    EXPECT_THAT(refusalOf({{"mask", "past"}, {"selector", selector}}), HasSubstr("must not depend on later queries"));
    EXPECT_THAT(refusalOf({{"mask", "padding"}, {"selector", selector}}), IsEmpty());
    const Json value{{"kind", "directional"}, {"split", "self_left"}};
    EXPECT_THAT(refusalOf({{"mask", "past"}, {"value", value}}), HasSubstr("matrix Q would have no effect"));
    EXPECT_THAT(refusalOf({{"mask", "padding"}, {"value", value}}), IsEmpty());
}

TEST(ToyMask, IsCountedAndTrains) {
    const ResolvedVariant variant = languageModel({{"mask", "past"}});
    const auto model = buildModel(variant, 1);
    EXPECT_EQ(parametersOf(*model), countCost(variant).parameters);
    EXPECT_TRUE(changesInAStep(*model, "decoder.layers.0.self.scorer.q.weight", [&] {
        return wordsAfter(*model, {2, 9, 10, 11});
    }));
}

TEST(ToyValue, HasNoProjectionToStandBefore) {
    const Json before{{"kind", "eau"}, {"where", "before_wo"}}, after{{"kind", "eau"}, {"where", "attn_out"}};
    const auto with = [](const char* value, const Json& adjuster) -> Json {
        return {{"value", value}, {"adjuster", "none"}, {"self", adjuster}};
    };
    EXPECT_THAT(refusalOf(with("bare", before)), HasSubstr("value \"bare\" has no output projection"));
    EXPECT_THAT(refusalOf(with("heads_proj", before)), IsEmpty());
    EXPECT_THAT(refusalOf(with("bare", after)), IsEmpty());
    const Json selector{{"kind", "sea"}, {"k", 2}, {"columns", 4}};
    EXPECT_THAT(refusalOf({{"value", "bare"}, {"selector", selector}}), HasSubstr("needs projected values of every head"));
}

TEST(ToyValue, IsCountedAndTrains) {
    const ResolvedVariant variant = languageModel({{"value", "bare"}});
    const auto model = buildModel(variant, 1);
    EXPECT_EQ(parametersOf(*model), countCost(variant).parameters);
    EXPECT_TRUE(changesInAStep(*model, "decoder.layers.1.self.value.w", [&] { return wordsAfter(*model, {2, 9, 10, 11}); }));
}

TEST(ToyScorer, ComparesQueriesAndKeysOfEveryHead) {
    const Json selector{{"kind", "sea"}, {"k", 2}, {"columns", 4}};
    EXPECT_THAT(refusalOf({{"scorer", "plain"}, {"selector", selector}}), IsEmpty());
    EXPECT_THAT(refusalOf({{"scorer", "alibi"}, {"selector", selector}}), HasSubstr("does not provide"));
    EXPECT_THAT(refusalOf({{"scorer", "plain"}, {"score", {{"rule", "add"}}}, {"normaliser", "entmax15"}}), IsEmpty());
}

TEST(ToyScorer, IsCountedAndTrains) {
    for (const Json& selector : {Json("none"), Json{{"kind", "sea"}, {"k", 2}, {"columns", 4}}}) {
        const ResolvedVariant variant = languageModel({{"scorer", "plain"}, {"selector", selector}});
        const auto model = buildModel(variant, 1);
        EXPECT_EQ(parametersOf(*model), countCost(variant).parameters);
        EXPECT_TRUE(changesInAStep(*model, "decoder.layers.0.self.scorer.w", [&] {
            return wordsAfter(*model, {2, 9, 10, 11});
        })) << selector;
    }
}

}  // namespace
}  // namespace heddle
