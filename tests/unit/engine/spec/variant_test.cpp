// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_spec.h"

#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>

namespace heddle {
namespace {

using ::testing::HasSubstr;
VariantSpec parseVariant(const std::string& text) { return VariantSpec::parse(parseJson(text, "test"), builtinCatalogue()); }
std::string hashOf(const std::string& text) { return parseVariant(text).hash(); }
std::string compactOf(const std::string& text) { return canonicalJson(parseVariant(text).compact()); }
Json at(const std::string& text, const std::string& path) { return parseVariant(text).resolvedTree().value(path, Json()); }

TEST(Variant, EmptyDocumentIsTheDefaultTransformer) {
    const auto variant = parseVariant("{}").resolve();
    EXPECT_EQ(variant.topology, Topology::EncoderDecoder);
    EXPECT_EQ(variant.dims.keyDim, 64);
    EXPECT_EQ(variant.dims.vocabSrc, 0);
    ASSERT_EQ(variant.encoder.size(), 6u);
    ASSERT_EQ(variant.encoder[0].sublayers.size(), 2u);
    ASSERT_EQ(variant.decoder[5].sublayers.size(), 3u);
    EXPECT_EQ(variant.decoder[5].sublayers[1].path, "decoder.layers.5.cross");
    EXPECT_EQ(variant.decoder[5].sublayers[1].slots.at("residual").id, "add");
    EXPECT_FALSE(variant.decoder[5].sublayers[1].slots.contains("ffn"));
    EXPECT_FALSE(variant.decoder[5].sublayers[2].slots.contains("scorer"));
    EXPECT_FALSE(variant.hasFinalNorm);
    EXPECT_EQ(variant.globals.at("head").params, Json({{"bias", true}, {"tied", false}}));
    EXPECT_EQ(compactOf("{}"), "{}");
}

TEST(Variant, BareStringIsShortForKind) {
    EXPECT_EQ(
        hashOf(R"({"defaults":{"residual":"grc"},"position":"learned","embed":"tied_out"})"),
        hashOf(R"({"defaults":{"residual":{"kind":"grc"}},"position":{"kind":"learned"},"embed":{"source":"tied_out"}})"));
}

TEST(Variant, LayerBeatsSublayerBeatsDefaults) {
    const std::string text = R"({"dims":{"layers_enc":3},
        "defaults":{"residual":{"kind":"grc","gate_input":"s"},"adjuster":"eau"},
        "encoder":{"sublayers":[{"name":"self","residual":{"bias_init":2}},{"name":"ffn","adjuster":"none","residual":"add"}],
                   "layers":{"1":{"self":{"residual":{"gate_input":"concat"}},"ffn":{"residual":"highway"}}}}})";
    const auto residual = [&](const std::string& path) { return at(text, path + ".residual"); };
    EXPECT_EQ(residual("encoder.layers.0.self"), R"({"kind":"grc","gate_input":"s","bias_init":2})"_json);
    EXPECT_EQ(residual("encoder.layers.1.self"), R"({"kind":"grc","gate_input":"concat","bias_init":2})"_json);
    EXPECT_EQ(residual("encoder.layers.0.ffn"), R"({"kind":"add"})"_json);
    EXPECT_EQ(residual("encoder.layers.1.ffn")["kind"], "highway");
    EXPECT_EQ(residual("decoder.layers.0.cross"), R"({"kind":"grc","gate_input":"s","bias_init":null})"_json);
    EXPECT_EQ(at(text, "encoder.layers.2.ffn.adjuster")["kind"], "none");
    EXPECT_EQ(at(text, "decoder.layers.2.ffn.adjuster")["kind"], "eau");
}

TEST(Variant, AnotherKindDropsTheParametersOfTheFirst) {
    const std::string text = R"({"defaults":{"residual":{"kind":"grc","gate_input":"s"}},
        "encoder":{"sublayers":[{"name":"self","residual":"alpha"},{"name":"ffn"}],
                   "layers":{"0":{"self":{"residual":{"kind":"grc"}}}}}})";
    EXPECT_FALSE(at(text, "encoder.layers.1.self.residual").contains("gate_input"));
    EXPECT_EQ(at(text, "encoder.layers.0.self.residual")["gate_input"], "r");  // its default again, not the one of defaults
    EXPECT_EQ(at(text, "encoder.layers.0.ffn.residual")["gate_input"], "s");
}

TEST(Variant, PresetIsTheBase) {
    const std::string text = R"({"preset":"eau-full","dims":{"layers_enc":2},
        "encoder":{"sublayers":[{"name":"self","adjuster":{"where":"before_wo"}},{"name":"ffn","residual":"add"}]}})";
    EXPECT_EQ(at(text, "dims")["layers_dec"], 6);
    EXPECT_EQ(at(text, "encoder.layers.1.self.adjuster")["kind"], "eau");
    EXPECT_EQ(at(text, "encoder.layers.1.self.adjuster")["where"], "before_wo");
    EXPECT_EQ(at(text, "encoder.layers.1.ffn.residual")["kind"], "add");
    EXPECT_EQ(at(text, "decoder.layers.1.ffn.residual")["kind"], "grc");
    EXPECT_FALSE(parseVariant(text).compact().contains("preset"));
}

TEST(Variant, TheListOfSublayersIsTheDocuments) {
    EXPECT_EQ(parseVariant(R"({"preset":"eau-full","encoder":{"sublayers":[{"name":"ffn"},{"name":"self"}]}})")
                  .resolve()
                  .encoder[0]
                  .sublayers[0]
                  .name,
              "ffn");
    const auto attentionOnly = parseVariant(R"({"preset":"eau-full","encoder":{"sublayers":[{"name":"self"}]}})").resolve();
    ASSERT_EQ(attentionOnly.encoder[0].sublayers.size(), 1u);
    EXPECT_EQ(attentionOnly.encoder[0].sublayers[0].slots.at("adjuster").id, "eau");
}

TEST(Variant, KeyWidthIsDerivedOrFree) {
    EXPECT_EQ(parseVariant(R"({"dims":{"d":128,"heads":4}})").resolve().dims.keyDim, 32);
    EXPECT_EQ(parseVariant(R"({"dims":{"d":128,"heads":4,"key_dim":20}})").resolve().dims.valueDim, 20);
    EXPECT_EQ(parseVariant(R"({"dims":{"d":100,"heads":3,"key_dim":20,"value_dim":7}})").resolve().dims.valueDim, 7);
    EXPECT_EQ(problemsOfText(R"({"dims":{"d":100,"heads":3}})"),
              "dims.heads|d = 100 is not divisible by 3 heads|choose a number of heads that divides d, or set key_dim\n");
}

TEST(Variant, VocabularyComesFromTheDataOrMustMatch) {
    EXPECT_EQ(parseVariant("{}").resolve(5893, 7853).dims.vocabTgt, 7853);
    const auto stated = parseVariant(R"({"dims":{"vocab_src":5893,"vocab_tgt":"from_data"}})");
    EXPECT_EQ(stated.resolve().dims.vocabSrc, 5893);
    EXPECT_EQ(stated.resolve(5893, 7).dims.vocabTgt, 7);
    EXPECT_THAT([&] { stated.resolve(6000, 7); },
                testing::ThrowsMessage<Error>("the data have 6000 words, but the variant specifies 5893 (variant, "
                                              "dims.vocab_src): set it to \"from_data\" or 6000, or change the tokenizer"));
    const auto shared = parseVariant(R"({"embed":"tied_all"})");
    EXPECT_NO_THROW(shared.resolve(100, 100));
    EXPECT_THROW(shared.resolve(100, 101), Error);
}

TEST(Variant, TyingIsSaidByEmbeddingOrHead) {
    EXPECT_EQ(at(R"({"embed":"tied_out"})", "head")["tied"], true);
    EXPECT_EQ(at(R"({"head":{"tied":true}})", "embed")["source"], "tied_out");
    EXPECT_EQ(at(R"({"embed":"tied_src_tgt","head":{"tied":true}})", "embed")["source"], "tied_all");
    EXPECT_EQ(hashOf(R"({"embed":"tied_out"})"), hashOf(R"({"embed":"tied_out","head":{"tied":true}})"));
    EXPECT_EQ(hashOf(R"({"embed":"tied_out"})"), hashOf(R"({"head":{"tied":true}})"));
    EXPECT_NE(hashOf(R"({"embed":"tied_out"})"), hashOf("{}"));
    EXPECT_THAT(problemsOfText(R"({"embed":"tied_out","head":{"tied":false}})"), HasSubstr("head.tied|false contradicts"));
}

TEST(Variant, FinalNormBelongsToTheStacks) {
    const auto variant = parseVariant(R"({"defaults":{"norm":{"place":"pre","final":1,"eps":1e-6}}})").resolve();
    EXPECT_TRUE(variant.hasFinalNorm);
    EXPECT_EQ(variant.finalNorm.id, "layernorm");
    EXPECT_EQ(variant.finalNorm.params["eps"], 1e-6);
    EXPECT_FALSE(variant.encoder[0].sublayers[0].slots.at("norm").params.contains("final"));
    EXPECT_EQ(at(R"({"defaults":{"norm":{"final":1}}})", "decoder.norm")["kind"], "layernorm");
    EXPECT_EQ(at("{}", "decoder.norm"), Json());
    EXPECT_THAT(problemsOfText(R"({"defaults":{"norm":{"kind":"none","final":1}}})"), HasSubstr("defaults.norm.final|"));
    EXPECT_THAT(problemsOfText(R"({"defaults":{"norm":{"final":2}}})"), HasSubstr("defaults.norm.final|2 is out of range"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"name":"self","norm":{"final":1}},{"name":"ffn"}]}})"),
                HasSubstr("encoder.self.norm.final|unknown key"));
}

TEST(Variant, OneHashForOneMeaning) {
    const std::vector<std::string> spellings{
        R"({"preset":"eau-full"})",
        R"({"preset":"eau-base","defaults":{"residual":"grc"},
            "encoder":{"sublayers":[{"name":"self","adjuster":"eau"},{"name":"ffn"}]},
            "decoder":{"sublayers":[{"name":"self","adjuster":"eau"},{"name":"cross","adjuster":"eau"},{"name":"ffn"}]}})",
        R"({"defaults":{"residual":"grc","adjuster":"eau"},
            "encoder":{"sublayers":[{"name":"self"},{"name":"ffn","adjuster":"none"}]},
            "decoder":{"sublayers":[{"name":"self"},{"name":"cross"},{"name":"ffn","adjuster":"none"}]}})",
        R"({"preset":"grc-only","topology":"encdec","dims":{"d":512.0,"key_dim":64,"value_dim":64,"heads":8},"meta":{"title":"mine"},
            "encoder":{"sublayers":[{"name":"self","adjuster":{"kind":"eau","hidden":null,"where":"attn_out"}},{"name":"ffn"}]},
            "decoder":{"sublayers":[{"name":"self","adjuster":"eau"},{"name":"cross","adjuster":"eau"},{"name":"ffn"}],
                       "layers":{"2":{"ffn":{"adjuster":"none"}}}}})"};
    for (const auto& spelling : spellings) EXPECT_EQ(compactOf(spelling), compactOf(spellings.front())) << spelling;
}

TEST(Variant, AnotherMeaningAnotherHash) {
    std::set<std::string> hashes;
    const std::vector<std::string> variants{
        "{}",
        R"({"dims":{"d":256}})",
        R"({"dims":{"key_dim":32}})",
        R"({"dims":{"vocab_src":5893}})",
        R"({"preset":"eau-full"})",
        R"({"preset":"eau-only"})",
        R"({"preset":"grc-only"})",
        R"({"position":"learned"})",
        R"({"embed":{"scale":"sqrt_d"}})",
        R"({"defaults":{"norm":{"place":"pre"}}})",
        R"({"defaults":{"norm":{"place":"pre","final":1}}})",
        R"({"defaults":{"dropout":{"sublayer":0.2}}})",
        R"({"encoder":{"layers":{"0":{"ffn":{"residual":"none"}}}}})",
        R"({"encoder":{"layers":{"1":{"ffn":{"residual":"none"}}}}})",
        R"({"encoder":{"layers":{"1":{"self":{"residual":"none"}}}}})",
        R"({"decoder":{"layers":{"1":{"self":{"residual":"none"}}}}})",
        R"({"encoder":{"sublayers":[{"name":"ffn"},{"name":"self"}]}})",
        R"({"init":"xavier_uniform"})",
        R"({"head":{"bias":false}})",
    };
    for (const auto& variant : variants) hashes.insert(hashOf(variant));
    EXPECT_EQ(hashes.size(), variants.size());
}

// A released hash is a name in people's databases: if this fails, a default or the compact form has changed. Neither may.
TEST(Variant, ReleasedHashesStay) {
    EXPECT_EQ(compactOf(R"({"preset":"eau-base"})"), "{}");
    EXPECT_EQ(compactOf(R"({"preset":"grc-only"})"), R"({"defaults":{"residual":{"kind":"grc"}}})");
    EXPECT_EQ(
        compactOf(R"({"preset":"eau-full"})"),
        R"({"decoder":{"sublayers":[{"adjuster":{"kind":"eau"},"name":"self"},{"adjuster":{"kind":"eau"},"name":"cross"},)"
        R"({"name":"ffn"}]},"defaults":{"residual":{"kind":"grc"}},)"
        R"("encoder":{"sublayers":[{"adjuster":{"kind":"eau"},"name":"self"},{"name":"ffn"}]}})");
    EXPECT_EQ(hashOf("{}"), sha256Hex("{}"));
    EXPECT_EQ(canonicalJson(parseVariant("{}").resolvedTree()["decoder.layers.0.cross.dropout"]),
              R"({"attention":0,"kind":"standard","layer":0,"order":"after_adjuster","sublayer":0.1})");
}

/// Macaron layers (Lu et al. 2019) have a feed-forward network before and after the attention.
TEST(Variant, ALayerMayHaveASecondFeedForwardNetwork) {
    const std::string macaron = R"({"dims":{"layers_enc":2},"encoder":{"sublayers":[{"name":"ffn"},{"name":"self"},
        {"name":"ffn2","ffn":"glu"}],"layers":{"1":{"ffn2":{"residual":"grc"}}}},"defaults":{"ffn":{"act":"gelu"}}})";
    EXPECT_EQ(at(macaron, "encoder.layers.0.ffn.ffn").at("act"), "gelu");
    EXPECT_EQ(at(macaron, "encoder.layers.0.ffn2.ffn").at("kind"), "glu");
    EXPECT_EQ(at(macaron, "encoder.layers.1.ffn2.residual").at("kind"), "grc");
    EXPECT_EQ(at(macaron, "encoder.layers.1.ffn2.scorer"), Json());
    EXPECT_EQ(hashOf(macaron), hashOf(compactOf(macaron)));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"name":"self"},{"name":"ffn2","scorer":"dot"}]}})"),
                HasSubstr("encoder.ffn2.scorer|unknown key"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"name":"self"},
                                  {"name":"ffn2","adjuster":{"kind":"eau","where":"before_wo"}}]}})"),
                HasSubstr("encoder.layers.0.ffn2.adjuster.where|"));
}

TEST(Variant, CompactStatesWhatDeviates) {
    EXPECT_EQ(compactOf(R"({"dims":{"layers_enc":2},"encoder":{"sublayers":[{"name":"self","residual":"grc"},{"name":"ffn"}],
                            "layers":{"0":{"self":{"residual":{"gate_input":"s"}}}}}})"),
              R"({"dims":{"layers_enc":2},"encoder":{"layers":{"1":{"self":{"residual":{"gate_input":"r","kind":"grc"}}}},)"
              R"("sublayers":[{"name":"self","residual":{"gate_input":"s","kind":"grc"}},{"name":"ffn"}]}})");
    EXPECT_EQ(compactOf(R"({"defaults":{"norm":{"place":"pre","final":1}}})"),
              R"({"defaults":{"norm":{"final":1,"kind":"layernorm","place":"pre"}}})");
}

/// Documents that use every way of writing a slot at every level, at random.
class RandomDocument {
public:
    explicit RandomDocument(unsigned seed) : random_(seed) {}

    Json make() {
        Json document{{"dims", {{"layers_enc", pick(3) + 1}, {"layers_dec", pick(3) + 1}}}};
        if (pick(3) == 0)
            document["preset"] = std::vector<std::string>{"eau-base", "eau-full", "eau-only", "grc-only"}[pick(4)];
        if (pick(3) == 0) document["embed"] = Json{{"source", pick(2) ? "tied_out" : "learned"}, {"dropout", 0.1 * pick(3)}};
        fill(document["defaults"], "cross");
        fill(document["defaults"], "ffn");
        if (pick(4) == 0)
            document["defaults"]["norm"] = Json{{"kind", "layernorm"}, {"final", pick(2)}, {"place", pick(2) ? "pre" : "post"}};
        fillStack(document["encoder"], {"self", "ffn"}, document["dims"]["layers_enc"]);
        fillStack(document["decoder"], {"self", "cross", "ffn"}, document["dims"]["layers_dec"]);
        return document;
    }

private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

    void fillStack(Json& stack, std::vector<std::string> names, int layers) {
        stack = Json::object();
        if (pick(2)) {
            if (pick(4) == 0) std::reverse(names.begin(), names.end());
            for (const auto& name : names) {
                Json entry{{"name", name}};
                fill(entry, name);
                stack["sublayers"].push_back(entry);
            }
        }
        for (int i = 0; i < layers; ++i)
            for (const auto& name : names)
                if (pick(2)) fill(stack["layers"][std::to_string(i)][name], name);
    }

    void fill(Json& holder, const std::string& sublayer) {
        if (holder.is_null()) holder = Json::object();
        static const std::vector<Json> residuals{"add", "grc", R"({"kind":"grc","gate_input":"s"})"_json,
                                                 R"({"kind":"grc","bias_init":2})"_json, R"({"kind":"alpha","init":0.5})"_json};
        static const std::vector<Json> norms{"layernorm", "none", R"({"kind":"layernorm","place":"pre"})"_json,
                                             R"({"kind":"layernorm","eps":1e-6})"_json};
        static const std::vector<Json> adjusters{"none", "eau", R"({"kind":"eau","hidden":5})"_json};
        static const std::vector<Json> dropouts{R"({"sublayer":0.3})"_json, R"({"attention":0.1})"_json};
        if (pick(3) == 0) holder["residual"] = residuals[pick(5)];
        if (pick(3) == 0) holder["norm"] = norms[pick(4)];
        if (pick(3) == 0) holder["adjuster"] = adjusters[pick(3)];
        if (pick(3) == 0) holder["dropout"] = dropouts[pick(2)];
        if (pick(3) == 0 && sublayer == "ffn") holder["ffn"] = Json{{"act", pick(2) ? "gelu" : "relu"}};
        if (pick(3) == 0 && sublayer != "ffn") holder["scorer"] = Json{{"bias", pick(2) == 1}};
    }

    std::mt19937 random_;
};

TEST(Variant, CompactMeansTheSameAndIsStable) {
    int parsed = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        const Json document = RandomDocument(seed).make();
        std::vector<Problem> problems;
        const auto spec = VariantSpec::parse(document, builtinCatalogue(), problems);
        if (!problems.empty()) {  // the one thing the generator can get wrong
            EXPECT_EQ(problems.front().path, "defaults.norm.final") << document;
            continue;
        }
        ++parsed;
        const auto again = VariantSpec::parse(spec.compact(), builtinCatalogue());
        EXPECT_EQ(again.compact(), spec.compact()) << document;
        EXPECT_EQ(again.resolvedTree().dump(), spec.resolvedTree().dump()) << document;
        // Every layer spelled out means the same.
        Json spelled = spec.compact();
        const Json tree = spec.resolvedTree();
        for (const auto& [path, choice] : tree.items()) {
            if (path.find(".layers.") == std::string::npos) continue;
            const auto cut = [&, p = path](int part) {
                std::stringstream stream(p);
                std::string word;
                for (int i = 0; i <= part; ++i) std::getline(stream, word, '.');
                return word;
            };
            spelled[cut(0)]["layers"][cut(2)][cut(3)][cut(4)] = choice;
        }
        EXPECT_EQ(VariantSpec::parse(spelled, builtinCatalogue()).compact(), spec.compact()) << document;
    }
    EXPECT_GT(parsed, 300);
}

TEST(Variant, WhatWasParsedIsWhatItsDocumentSays) {
    std::vector<std::string> documents{
        // They state the depth of a decoder that does not exist, 0 in place of 0.0, and a place of the final norm without
        // effect.
        R"({"topology":"encoder","dims":{"layers_dec":2,"classes":3},"head":"classify"})",
        R"({"defaults":{"dropout":{"kind":"standard","sublayer":0,"attention":0.0}}})",
        R"({"defaults":{"norm":{"place":"pre","final":1}},"encoder":{"sublayers":[{"name":"self","norm":{"place":"post"}},{"name":"ffn"}]}})",
        R"({"topology":"decoder","dims":{"vocab_tgt":50,"d":12,"heads":5,"key_dim":2}})"};
    for (const std::string& preset : presetNames()) documents.push_back(Json{{"preset", preset}}.dump());
    for (const std::string& document : documents) {
        const VariantSpec spec = parseVariant(document), again = VariantSpec::parse(spec.compact(), builtinCatalogue());
        EXPECT_EQ(again.resolvedTree().dump(), spec.resolvedTree().dump()) << document;
        EXPECT_EQ(again.statedClasses(), spec.statedClasses()) << document;
        EXPECT_EQ(again.resolve().dims.layersDec, spec.resolve().dims.layersDec) << document;
    }
}

TEST(Variant, ThePlaceOfTheFinalNormMeansNothing) {
    EXPECT_EQ(hashOf(R"({"defaults":{"norm":{"place":"pre","final":1}},
        "encoder":{"sublayers":[{"name":"self","norm":{"place":"post"}},{"name":"ffn","norm":{"place":"post"}}]},
        "decoder":{"sublayers":[{"name":"self","norm":{"place":"post"}},{"name":"cross","norm":{"place":"post"}},
                                {"name":"ffn","norm":{"place":"post"}}]}})"),
              hashOf(R"({"defaults":{"norm":{"final":1}}})"));
}

TEST(Variant, OneThatWasNotParsedHasNoModel) {
    const VariantSpec none;
    EXPECT_TRUE(none.isEmpty());
    EXPECT_TRUE(none.compact().is_null());
    EXPECT_EQ(none.statedClasses(), std::nullopt);
    EXPECT_THROW(none.resolve(), Error);
    std::vector<Problem> problems;
    EXPECT_TRUE(VariantSpec::parse(R"({"topology":"x"})"_json, builtinCatalogue(), problems).isEmpty());
}

}  // namespace
}  // namespace heddle
