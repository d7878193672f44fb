// SPDX-License-Identifier: Apache-2.0
// The logit lens of a trained checkpoint.
#include "engine/run/inspection.h"
#include "tests/unit/engine/library/inspected_language.h"
#include "tests/unit/engine/library/inspected_toy.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using test::byMetric;
using test::metric;
using ::testing::HasSubstr;

class LanguageLens : public test::LanguageInspection {};
class TranslationLens : public test::Inspection {};

/// With the identity in place of all later sublayers the whole model is what the lens reads.
TEST_F(LanguageLens, AStateIsWhatTheModelWouldSayIfItEndedThere) {
    const auto session = open();
    const LensReport lens = session->lens({{"valid", 0}});
    ASSERT_EQ(lens.layers.size(), 4U);
    EXPECT_EQ(lens.layers[0].path, "decoder.h0");
    EXPECT_EQ(lens.layers[3].path, "decoder.layers.2");
    std::vector<Intervention> later;
    for (std::size_t layer = 3; layer-- > 0;) {
        for (const char* sublayer : {".self", ".ffn"})
            later.emplace_back(IdentityResidual{"decoder.layers." + std::to_string(layer) + sublayer});
        const EffectReport ended = session->effect({later, {"valid", 0}});
        EXPECT_NEAR(lens.layers[layer].loss, metric(ended, "loss").intervened, 1e-6) << layer;
        EXPECT_NEAR(lens.layers[layer].accuracy, metric(ended, "accuracy").intervened, 1e-9) << layer;
        EXPECT_GT(lens.layers[layer].divergence, 1e-3) << layer;
    }
    EXPECT_LT(lens.layers[0].sameAsFinal, 1) << "without a layer there is no context";
    const LensLayer& last = lens.layers.back();
    const EffectReport whole = session->effect({{}, {"valid", 0}});
    EXPECT_EQ(last.loss, byMetric(whole.trained).at("loss"));
    EXPECT_EQ(last.accuracy, byMetric(whole.trained).at("accuracy"));
    EXPECT_EQ(last.sameAsFinal, 1);
    EXPECT_EQ(last.divergence, 0);
    EXPECT_EQ(lens.positions, whole.trained.front().n);
    EXPECT_EQ(session->lens({{"valid", 7}}).examples, 7);
}

TEST_F(LanguageLens, SeveralStreamsAreReadAsTheHeadReadsThem) {
    for (const char* residual : {R"({"kind":"hyper","streams":3})", R"({"kind":"attn_res"})"}) {
        spec.variant = VariantSpec::parse(
            {{"preset", "nanogpt"},
             {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_dec", 2}, {"max_len", 40}, {"vocab_tgt", "from_data"}}},
             {"defaults", {{"residual", Json::parse(residual)}}}},
            builtinCatalogue());
        checkpoint.clear();
        const auto session = open();
        const LensReport lens = session->lens({{"valid", 0}});
        ASSERT_EQ(lens.layers.size(), 3U);
        EXPECT_EQ(lens.layers.back().loss, byMetric(session->effect({{}, {"valid", 0}}).trained).at("loss")) << residual;
        EXPECT_NE(lens.layers[1].loss, lens.layers[2].loss);
    }
}

TEST_F(TranslationLens, ReadsTheDecoder) {
    const auto session = open();
    const LensReport lens = session->lens({{"valid", 0}});
    ASSERT_EQ(lens.layers.size(), 3U);
    EXPECT_EQ(lens.layers[1].path, "decoder.layers.0");
    EXPECT_EQ(lens.layers.back().loss, byMetric(evaluate().measured.values).at("loss"));
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] { session->lens({{"train", 0}}); }), HasSubstr("choose valid or test"));
}

class ClassLens : public test::TaskRun {};

TEST_F(ClassLens, IsRefusedWhereNoTokensArePredicted) {
    const RunSpec spec = specFor("classify", "generated/agreement", test::encoder({{"kind", "classify"}}));
    InspectionRequest request;
    request.spec = spec;
    request.checkpointFolder = folder / "run/step-" + std::to_string(train(spec).step);
    request.runFolder = folder / "run";
    request.cacheFolder = folder / "cache";
    request.device = "cpu";
    const auto session = test::createEngine()->openInspection(request);
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] { session->lens({}); }), HasSubstr("task classify predicts no tokens"));
}

}  // namespace
}  // namespace heddle
