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

/// Counted from the published configs (Hugging Face: the files named in each preset's reference); the cards of the smallest
/// say 1.23, 1.48 and 0.6 billion.
TEST(ModelKinds, TodaysDecodersHaveTheirPublicSizes) {
    EXPECT_EQ(countOf(preset("llama")), 1'235'814'400);
    EXPECT_EQ(countOf(preset("olmo2")), 1'484'916'736);
    EXPECT_EQ(countOf(preset("qwen3")), 596'049'920);
    const auto sized = [](const char* name, const char* embed, const Json& dims) {
        return countOf(preset(name, {{"dims", dims}, {"embed", {{"source", embed}}}}));
    };
    const Json llama2{{"d", 4096},           {"f", 11008},       {"heads", 32},
                      {"kv_heads", nullptr}, {"layers_dec", 32}, {"vocab_tgt", 32000}};
    EXPECT_EQ(sized("llama", "learned", llama2), 6'738'415'616) << "Llama 2 7B";
    const Json llama3{{"d", 4096}, {"f", 14336}, {"layers_dec", 32}};
    EXPECT_EQ(sized("llama", "learned", llama3), 8'030'261'248) << "Llama 3 8B";
    const Json olmo{{"d", 4096}, {"f", 11008}, {"heads", 32}, {"layers_dec", 32}};
    EXPECT_EQ(sized("olmo2", "learned", olmo), 7'298'617'344) << "OLMo 2 7B";
    const Json qwen{{"d", 4096}, {"f", 12288}, {"heads", 32}, {"layers_dec", 36}};
    EXPECT_EQ(sized("qwen3", "learned", qwen), 8'190'735'360) << "Qwen3 8B";
}

/// q_proj (with the gate), k_proj, v_proj, o_proj, q_norm and k_norm of a layer with full attention.
TEST(ModelKinds, TheAttentionOfQwen3NextHasItsPublicSize) {
    std::int64_t attention = 0;
    for (const ModuleCost& module : countCost(preset("qwen3-next-attention").resolve()).modules)
        if (module.path.starts_with("decoder.layers.0.self.") && !module.path.ends_with(".norm"))
            attention += module.parameters;
    EXPECT_EQ(attention, 2048 * 8192 + 2 * 2048 * 512 + 4096 * 2048 + 2 * 256);
}

/// nanoGPT prints 123.59M for its 124M model without biases, and leaves the positions out.
TEST(ModelKinds, NanoGptHasTheSizeThatItPrints) {
    EXPECT_EQ(countOf(preset("nanogpt")) - 1024 * 768, 123'587'328);
    EXPECT_THAT(refusal(preset("nanogpt"), "causal_lm"), IsEmpty());
}

TEST(ModelKinds, ModernBertHasItsPublicSize) {
    EXPECT_EQ(countOf(preset("modernbert")), 149'655'232);  // ModernBertForMaskedLM of answerdotai/ModernBERT-base
    const auto variant = preset("modernbert").resolve();
    for (std::size_t i = 0; i < variant.encoder.size(); ++i) {
        const auto& slots = variant.encoder[i].sublayers.front().slots;
        EXPECT_EQ(slots.at("mask").id, i % 3 == 0 ? "padding" : "sliding") << i;
        EXPECT_EQ(slots.at("relative").params.at("base"), i % 3 == 0 ? 160000 : 10000) << i;
        EXPECT_EQ(slots.at("norm").id, i == 0 ? "none" : "layernorm") << i << ": the embedding is normalised";
    }
}

/// Wu et al. 2021, table 2, say 2.6M, with the 9,712 types of their joint dictionary.
TEST(ModelKinds, TransformerTinyHasThePublishedSize) { EXPECT_EQ(countOf(preset("transformer-tiny")), 2'568'192); }

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
