// SPDX-License-Identifier: Apache-2.0
// Encoders, decoders, recurrent networks and images as variants: their counts, and what they refuse (variants.md 5.1).
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

VariantSpec preset(const std::string& name, const Json& over = Json::object()) {
    Json document{{"preset", name}};
    document.update(over, true);
    return VariantSpec::parse(document, builtinCatalogue());
}

std::int64_t countOf(const VariantSpec& variant) { return countCost(variant.resolve()).parameters; }

std::string refusal(const VariantSpec& variant, const std::string& task = "translation") {
    return trainingRefusal(variant, task);
}

TEST(ModelKinds, BertHasItsPublicSizes) {
    const Json pooled{{"kind", "classify"}, {"pool", "cls_tanh"}};
    EXPECT_EQ(countOf(preset("bert-base")), 109'514'298);
    EXPECT_EQ(countOf(preset("bert-base", {{"head", pooled}})), 109'483'778);
    EXPECT_EQ(countOf(preset("bert-base", {{"head", {{"kind", "regress"}, {"pool", "cls_tanh"}}}})), 109'483'009);
    const auto classes = preset("bert-base", {{"head", pooled}}).resolve();
    const std::int64_t width = 768, classifier = 2 * (width + 1);
    EXPECT_EQ(countCost(classes).parameters - classifier, 109'482'240);  // the encoder with its pooler
}

TEST(ModelKinds, TheTinyVisionTransformerHasItsPublicSize) {
    EXPECT_EQ(countOf(preset("vit-tiny")), 5'717'416);  // DeiT-Ti, Touvron et al. 2021
    const std::int64_t d = 192, eau = 12 * (2 * d * d + 5 * d / 2), grc = 24 * (d * d + d);
    EXPECT_EQ(countOf(preset("vit-tiny+eau")), 5'717'416 + eau);
    EXPECT_EQ(countOf(preset("vit-tiny+grc")), 5'717'416 + grc);
    EXPECT_EQ(countOf(preset("vit-tiny+both")), 5'717'416 + eau + grc);
    const Json noToken{{"embed", {{"class_token", false}}}};
    EXPECT_EQ(countOf(preset("vit-tiny", noToken)), 5'717'416 - 192);
}

TEST(ModelKinds, GptHasTheSizeOfThePublishedModel) {
    EXPECT_EQ(countOf(preset("gpt")), 116'534'784);  // openai-gpt
    EXPECT_THAT(refusal(preset("gpt"), "causal_lm"), IsEmpty());
}

TEST(ModelKinds, RecurrentBaselinesCountTheirDirections) {
    const std::int64_t d = 300, classifier = 2 * (2 * d + 1), words = 50;
    const Json sized{{"dims", {{"vocab_src", words}}}};
    EXPECT_EQ(countOf(preset("bilstm-w2v")), 8 * (2 * d * d + 2 * d) + classifier);  // needs no vocabulary
    EXPECT_EQ(countOf(preset("bigru", sized)), 6 * (2 * d * d + 2 * d) + classifier + words * d);
    EXPECT_EQ(countOf(preset("birnn", sized)), 2 * (2 * d * d + 2 * d) + classifier + words * d);
    const Json twoLayers{{"dims", {{"layers_enc", 2}}}};
    EXPECT_EQ(countOf(preset("bilstm-w2v", twoLayers)) - countOf(preset("bilstm-w2v")), 8 * (3 * d * d + 2 * d));
}

TEST(ModelKinds, AHeadWithoutWordsUntiesTheEmbedding) {
    for (const char* head : {"classify", "regress", "tag", "span"}) {
        const auto variant = preset("bert-base", {{"head", head}});
        EXPECT_EQ(variant.resolve().globals.at("embed").id, "learned") << head;
        EXPECT_EQ(VariantSpec::parse(variant.compact(), builtinCatalogue()).hash(), variant.hash()) << head;
    }
    EXPECT_EQ(preset("bert-base").resolve().globals.at("embed").id, "tied_out");
    EXPECT_EQ(preset("bert-base").resolve().globals.at("head").params.at("tied"), true);
}

TEST(ModelKinds, AFrozenTableCannotBeTied) {
    EXPECT_THAT(problemsOf({{"topology", "encoder"}, {"embed", "frozen_file"}, {"head", {{"kind", "mlm"}, {"tied", true}}}}),
                AllOf(HasSubstr("head.tied|"), HasSubstr("frozen_file")));
}

TEST(ModelKinds, ImagesNeedAnEncoder) {
    EXPECT_THAT(problemsOf({{"embed", "patches"}}), AllOf(HasSubstr("embed.source|"), HasSubstr("set topology to")));
    EXPECT_THAT(problemsOf({{"topology", "encoder"}, {"embed", "patches"}, {"head", "classify"}}), IsEmpty());
}

TEST(ModelKinds, NothingOfTheModelsWidthStandsAroundARecurrence) {
    const Json plain{{"topology", "bilstm"}, {"head", "classify"}};
    EXPECT_THAT(problemsOf(plain), IsEmpty());
    const auto refuses = [&](const Json& over, const char* path) {
        Json document = plain;
        document.merge_patch(over);
        EXPECT_THAT(problemsOf(document), HasSubstr(path)) << over;
    };
    refuses({{"defaults", {{"residual", "add"}}}}, "encoder.layers.0.lstm.residual|");
    refuses({{"defaults", {{"norm", "layernorm"}}}}, "encoder.layers.0.lstm.norm|");
    refuses({{"defaults", {{"adjuster", "eau"}}}}, "encoder.layers.0.lstm.adjuster|");
    refuses({{"defaults", {{"parallel", "sdu"}}}}, "encoder.layers.0.lstm.parallel|");
    refuses({{"defaults", {{"norm", {{"kind", "layernorm"}, {"final", 1}}}}}}, "defaults.norm.final|");
    refuses({{"encoder", {{"share", "shared"}}}}, "encoder.share|");
    refuses({{"dims", {{"layers_enc", 1}}}, {"encoder", {{"share", "fixed_point"}}}}, "encoder.share|");
    refuses({{"position", {{"kind", "learned"}, {"where", "every_layer"}}}}, "position.where|");
    refuses({{"encoder", {{"sublayers", {Json{{"name", "lstm"}}, Json{{"name", "ffn"}}}}}}}, "encoder.sublayers|");
    refuses({{"head", {{"kind", "lm"}, {"tied", true}}}}, "head.tied|");
}

TEST(ModelKinds, TrainingTakesEncoderDecodersAndSaysSo) {
    EXPECT_THAT(refusal(preset("eau-full")), IsEmpty());
    EXPECT_THAT(refusal(preset("bert-base")), AllOf(HasSubstr("needs topology encdec"), HasSubstr("mlm, denoise")));
    EXPECT_THAT(refusal(preset("bert-base"), "mlm"), IsEmpty());
    EXPECT_THAT(refusal(preset("bert-base"), "classify"), HasSubstr("needs head classify"));
    EXPECT_THAT(refusal(preset("atinuke-text")), HasSubstr("\"decoder\""));
    EXPECT_THAT(refusal(preset("atinuke-text"), "causal_lm"), IsEmpty());
    EXPECT_THAT(refusal(preset("bilstm-w2v"), "classify"), IsEmpty());
    EXPECT_THAT(refusal(preset("vit-tiny"), "image"), IsEmpty());
    EXPECT_THAT(refusal(preset("vit-tiny"), "classify"), HasSubstr("embeds image patches"));
    EXPECT_THAT(refusal(preset("star-2"), "image"), HasSubstr("embed.source to patches"));
    EXPECT_THAT(refusal(preset("eau-base", {{"head", "classify"}})), HasSubstr("set head to \"lm\""));
}

}  // namespace
}  // namespace heddle
