// SPDX-License-Identifier: Apache-2.0
// Decoding by steps is the whole forward pass, row by row (variants.md section 7, property n).
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "tests/dev/engine/tiny_models.h"
#include "tests/unit/engine/model/random_variant.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::buildTiny;
using testing_support::distance;
using verify::causalPresets;
using verify::tinyPreset;

constexpr std::int64_t kRows = 3, kLength = 8;

/// Three sources of different lengths, padding after them, and three targets likewise.
at::Tensor sources() {
    return at::tensor(std::vector<std::int64_t>{4, 5, 6, 7, 8, 3, 9, 3, kPad, kPad, kPad, kPad, 5, 5, 10, 3, kPad, kPad})
        .view({kRows, 6});
}

at::Tensor targets() {
    return at::tensor(std::vector<std::int64_t>{2, 7,    8,    9,    10, 5,  4, 6, 2, 4, 4,    11,
                                                3, kPad, kPad, kPad, 2,  12, 7, 5, 6, 3, kPad, kPad})
        .view({kRows, kLength});
}

Memory memoryOf(const Model& model) {
    if (model.variant().encoder.empty()) return {};
    return {model.encode({sources(), {}}, {}), sources()};
}

/// Every parameter away from its start: what is 0 there (ReZero's α, biases, a gate's B) would hide a mistake.
void stir(Model& model) {
    const at::NoGradGuard noGrad;
    std::uint64_t i = 0;
    for (const auto& [path, tensor] : model.parameters().entries())
        tensor.add_(normal(randomKey(7, "stir", ++i), tensor.sizes(), 0, 0.1).to(tensor.scalar_type()));
}

at::Tensor whole(const Model& model, const at::Tensor& ids) { return model.decode({ids, {}}, memoryOf(model), {}); }

/// Hidden states of targets(), read in pieces of these lengths.
at::Tensor inPieces(const Model& model, const std::vector<std::int64_t>& lengths) {
    const auto state = model.startDecoding(memoryOf(model));
    std::vector<at::Tensor> pieces;
    for (const std::int64_t length : lengths) pieces.push_back(state->step(targets().narrow(1, state->length(), length), {}));
    EXPECT_EQ(state->length(), kLength);
    return at::cat(pieces, 1);
}

/// Positions that are read from memory, with room for more of them than there are tokens; and once more after others.
void expectRepeatableStepsToEqual(const Model& model, const at::Tensor& full, double tolerance) {
    constexpr std::int64_t kCapacity = 12;
    const at::Tensor twice = at::tensor(std::vector<std::int64_t>{0, 0, 1, 1, 2, 2});
    const at::Tensor ids = targets().index_select(0, twice), position = at::zeros({1}, at::kLong);
    Memory memory = memoryOf(model), other;
    if (memory.hidden_BSD.defined()) {
        memory = {memory.hidden_BSD.index_select(0, twice), memory.source_BS.index_select(0, twice)};
        other = {memory.hidden_BSD * 2, memory.source_BS.flip(0)};
    }
    const auto state = model.makeReplayableState(kCapacity);
    for (const std::int64_t first : {3, 1}) {
        std::vector<at::Tensor> pieces{state->begin(memory, ids.narrow(1, 0, first), {})};
        for (std::int64_t at = first; at < kLength; ++at) {
            pieces.push_back(state->step(ids.narrow(1, at, 1), position.fill_(at), {}));
            state->reorder(at::tensor(std::vector<std::int64_t>{1, 0, 3, 3, 4, 4}));
        }
        EXPECT_LT(distance(at::cat(pieces, 1), full.index_select(0, twice)), tolerance) << "repeatable, from " << first;
        state->begin(other, ids.flip(1), {});  // what another batch leaves must not be seen
    }
}

void expectEqualToTheWhole(const Model& model, double tolerance) {
    const at::NoGradGuard noGrad;
    const at::Tensor full = whole(model, targets());
    if (model.stepCaptureObstacle().empty()) expectRepeatableStepsToEqual(model, full, tolerance);
    for (const auto& lengths : {std::vector<std::int64_t>(kLength, 1), {3, 1, 1, 3}, {kLength}})
        EXPECT_LT(distance(inPieces(model, lengths), full), tolerance) << lengths.size() << " pieces";
    // The second half of a search: rows leave, others come twice; then the first memory's row is gone too.
    const auto state = model.startDecoding(memoryOf(model));
    state->step(targets().narrow(1, 0, 3), {});
    at::Tensor ids = targets(), expected = full;
    for (const auto& rows : {std::vector<std::int64_t>{2, 0, 0, 1}, {0, 2, 1, 3}, {3, 1}}) {
        state->reorder(rows);
        ids = ids.index_select(0, at::tensor(rows));
        expected = expected.index_select(0, at::tensor(rows));
        const std::int64_t begin = state->length();
        const at::Tensor stepped = state->step(ids.narrow(1, begin, 1), {});
        EXPECT_LT(distance(stepped, expected.narrow(1, begin, 1)), tolerance) << "after a new order of " << rows.size();
    }
}

TEST(DecodingState, EveryPresetThatDecodesGivesTheWholeStepByStep) {
    const auto presets = causalPresets();
    ASSERT_GT(presets.size(), 15U);
    for (const std::string& name : presets) {
        SCOPED_TRACE(name);
        for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-10}, {at::kFloat, 1e-5}}) {
            const auto model = buildModel(tinyPreset(name), 1, type);
            EXPECT_EQ(model->stepObstacle(), "");
            EXPECT_EQ(model->stepCaptureObstacle(), "");
            if (type == at::kDouble) stir(*model);
            expectEqualToTheWhole(*model, tolerance);
        }
    }
}

/// What no preset has: every block that says it can, in a decoder.
TEST(DecodingState, BlocksOfOtherDecodersStepToo) {
    const Json star{{"name", "star"},         {"mask", "padding_causal"}, {"scorer", "bilinear"},
                    {"value", "directional"}, {"direct", "vx"},           {"combine", "lstm"}};
    const Json oneHead{{"heads", 1}};
    const std::vector<Json> documents{
        {{"defaults", {{"scorer", "rotary"}}}, {"position", "none"}, {"topology", "decoder"}},
        {{"defaults", {{"scorer", "alibi"}}}, {"position", "none"}, {"topology", "decoder"}},
        {{"decoder", {{"share", "shared"}}}, {"dims", {{"layers_dec", 3}}}, {"position", {{"where", "every_layer"}}}},
        {{"decoder", {{"share", "shared"}}},
         {"dims", {{"layers_dec", 3}}},
         {"defaults", {{"score", {{"rule", "add"}, {"offsets", {1, 2}}, {"gate", {{"per_source", true}}}}}}}},
        {{"topology", "decoder"}, {"dims", oneHead}, {"position", "directional"}, {"decoder", {{"sublayers", {star}}}}},
        {{"topology", "decoder"},
         {"dims", oneHead},
         {"decoder", {{"sublayers", {{{"name", "star"}, {"scorer", "chain"}, {"mask", "none"}, {"value", "single"}}}}}}},
        {{"defaults",
          {{"score",
            {{"rule", "add"}, {"source", "probs"}, {"sites", {"dec_self", "cross"}}, {"gate", {{"bias", "scalar"}}}}}}}},
        {{"defaults",
          {{"score",
            {{"rule", "add"},
             {"source", "accumulated"},
             {"mean", true},
             {"sites", {"dec_self"}},
             {"gate", {{"bias", "full"}}}}}}}},
        {{"defaults",
          {{"score", {{"rule", "add"}, {"sites", {"cross"}}, {"gate", {{"mask_prev", "raw"}, {"owner", "producer"}}}}}}}},
        {{"defaults", {{"normaliser", "entmax15"}}}},
        {{"defaults", {{"normaliser", {{"kind", "sparsek"}, {"k", 2}}}}}},
        {{"defaults", {{"normaliser", {{"kind", "topk"}, {"k", 2}}}}}},
        {{"defaults", {{"norm", "rmsnorm"}, {"ffn", "glu"}}},
         {"decoder",
          {{"sublayers",
            {{{"name", "self"}, {"adjuster", {{"kind", "eau"}, {"where", "before_wo"}}}},
             {{"name", "cross"}},
             {{"name", "ffn"}}}}}}},
        {{"defaults",
          {{"adjuster", {{"kind", "eau"}, {"where", "before_ffn"}}}, {"parallel", "sdu"}, {"residual", "highway"}}}},
        {{"defaults", {{"residual", "hyper"}, {"norm", {{"place", "pre"}, {"final", 1}}}}}},
        {{"defaults", {{"residual", "mhc"}, {"norm", {{"place", "pre"}}}}},
         {"decoder", {{"share", "shared"}}},
         {"dims", {{"layers_dec", 3}}}},
        {{"defaults", {{"residual", "mudd"}, {"norm", {{"place", "pre"}, {"final", 1}}}}}},
        {{"defaults", {{"residual", {{"kind", "attn_res"}, {"block", 2}}}, {"norm", {{"place", "pre"}, {"final", 1}}}}}},
    };
    for (const Json& document : documents) {
        SCOPED_TRACE(document.dump());
        const auto model = buildTiny(document);
        ASSERT_EQ(model->stepObstacle(), "");
        stir(*model);
        expectEqualToTheWhole(*model, 1e-10);
    }
}

TEST(DecodingState, WhatCannotStepSaysWhyAndRunsThePrefix) {
    const auto gated = [](const Json& gate, const char* site) {
        return Json{{"defaults", {{"score", {{"rule", "add"}, {"sites", {site}}, {"gate", gate}}}}}};
    };
    const std::vector<std::pair<Json, const char*>> cases{
        {Json{{"defaults", {{"mask", "padding"}}}}, "decoder.layers.0.self: its mask shows later positions"},
        {Json{{"decoder", {{"share", {{"kind", "fixed_point"}, {"on_failure", "report"}, {"max_iter", 4}}}}},
              {"dims", {{"layers_dec", 1}}}},
         "decoder.share: how often"},
        {gated({{"mask_prev", "raw"}}, "dec_self"), "mask_prev raw"},
        {gated({{"mask_prev", "neg_large"}}, "dec_self"), "mask_prev neg_large"},
        {gated({{"bias", "full"}}, "cross"), "bias full"}};
    const at::NoGradGuard noGrad;
    for (const auto& [over, words] : cases) {
        SCOPED_TRACE(over.dump());
        const auto model = buildTiny(over);
        EXPECT_NE(model->stepObstacle().find(words), std::string::npos) << model->stepObstacle();
        const auto state = model->startDecoding(memoryOf(*model));
        for (std::int64_t length = 1; length <= 4; ++length) {
            const at::Tensor ids = targets().narrow(1, 0, length);
            const at::Tensor stepped = state->step(ids.narrow(1, length - 1, 1), {});
            EXPECT_EQ(distance(stepped, whole(*model, ids).narrow(1, length - 1, 1)), 0) << length;
        }
        state->reorder({1, 1});
        const at::Tensor again = state->step(targets().narrow(0, 1, 1).repeat({2, 1}).narrow(1, 4, 1), {});
        EXPECT_LT(distance(again, whole(*model, targets().narrow(1, 0, 5)).narrow(0, 1, 1).narrow(1, 4, 1)), 1e-12);
    }
    EXPECT_EQ(buildTiny(gated({{"mask_prev", "raw"}, {"infer", "identity"}}, "dec_self"))->stepObstacle(), "")
        << "the gate is not there when it is not trained";
}

/// Whatever variant says that it can, can.
TEST(DecodingState, VariantsThatNobodyThoughtOfStepToo) {
    testing_support::VariantDraw draw(77);
    int stepped = 0;
    for (int i = 0; i < 120 && !HasFailure(); ++i) {
        const Json document = draw.valid();
        SCOPED_TRACE(document.dump());
        const auto model = buildModel(VariantSpec::parse(document, builtinCatalogue()).resolve(), 1, at::kDouble);
        const ResolvedVariant& variant = model->variant();
        if (variant.decoder.empty() || !model->stepObstacle().empty()) continue;
        if (!variant.encoder.empty() && variant.globals.at("embed").id == "patches") continue;  // images are read otherwise
        ++stepped;
        // Numbers that grow from layer to layer leave fewer digits.
        const at::NoGradGuard noGrad;
        const double size = std::max(1.0, whole(*model, targets()).abs().max().item<double>());
        expectEqualToTheWhole(*model, 1e-9 * size);
    }
    EXPECT_GT(stepped, 10);
}

TEST(DecodingState, TapsSeeTheRowsOfTheNewPositions) {
    const auto model = buildTiny();
    const auto state = model->startDecoding(memoryOf(*model));
    state->step(targets().narrow(1, 0, 2), {});
    RecordingTaps taps;
    const Forward f{.taps = &taps};
    state->step(targets().narrow(1, 2, 1), f);
    EXPECT_EQ(taps.seen().at("decoder.layers.1.self.weight").sizes(), (at::IntArrayRef{kRows, 4, 1, 3}));
    EXPECT_EQ(taps.seen().at("decoder.layers.1.cross.weight").sizes(), (at::IntArrayRef{kRows, 4, 1, 6}));
    EXPECT_EQ(taps.seen().at("decoder.layers.1.cross.weight")[1].narrow(-1, 2, 4).abs().max().item<double>(), 0) << "padding";
}

}  // namespace
}  // namespace heddle
