// SPDX-License-Identifier: Apache-2.0
// Score carries in documents: an object inside a slot's value (the gate), its defaults, overlays and compact form.
#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_spec.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::HasSubstr;

VariantSpec parse(const Json& document) { return VariantSpec::parse(document, builtinCatalogue()); }

Json scoreAt(const Json& document, const std::string& site) { return parse(document).resolvedTree().at(site + ".score"); }

const std::string kEncoder = "encoder.layers.1.self", kDecoder = "decoder.layers.1.self", kCross = "decoder.layers.1.cross";

std::string messageOf(const Json& document) {
    return whyRefused([&] { parse(document); });
}

TEST(ScoreSpec, AGateIsNullUnlessItIsThere) {
    const Json plain = scoreAt({{"defaults", {{"score", "add"}}}}, kEncoder);
    EXPECT_EQ(plain.at("gate"), Json());
    EXPECT_EQ(plain.at("offsets"), Json::array({1}));
    const Json gated = scoreAt({{"defaults", {{"score", {{"rule", "add"}, {"gate", Json::object()}}}}}}, kEncoder);
    EXPECT_EQ(gated.at("gate").at("act"), "tanh");
    EXPECT_EQ(gated.at("gate").at("dropout"), (Json{{"p", 0}, {"mode", "zero"}}));
}

TEST(ScoreSpec, SitesHoldForDefaultsAlone) {
    const Json document{{"preset", "thesis-G1"}};
    EXPECT_EQ(scoreAt(document, kEncoder).at("rule"), "add");
    EXPECT_EQ(scoreAt(document, kDecoder).at("rule"), "add");
    EXPECT_EQ(scoreAt(document, kCross).at("rule"), "none");
    EXPECT_EQ(scoreAt({{"preset", "realformer"}}, kCross).at("source"), "accumulated");
    Json own = document;
    own["decoder"]["sublayers"] = {{{"name", "self"}}, {{"name", "cross"}, {"score", "add"}}, {{"name", "ffn"}}};
    EXPECT_EQ(scoreAt(own, kCross).at("rule"), "add");
}

TEST(ScoreSpec, SetReachesIntoTheGate) {
    Json document{{"preset", "thesis-G1"}};
    applySet(document, "encoder.self.score.gate.act=sigmoid");
    applySet(document, "defaults.score.gate.dropout.p=0.25");
    const Json variant = document.at("variant");
    EXPECT_EQ(scoreAt(variant, kEncoder).at("gate").at("act"), "sigmoid");
    EXPECT_EQ(scoreAt(variant, kEncoder).at("gate").at("dropout"), (Json{{"p", 0.25}, {"mode", "zero"}}));
    EXPECT_EQ(scoreAt(variant, kDecoder).at("gate").at("act"), "tanh");
    applySet(document, "encoder.self.score.gate=null");
    EXPECT_EQ(scoreAt(document.at("variant"), kEncoder).at("gate"), Json());
    EXPECT_EQ(scoreAt(document.at("variant"), kDecoder).at("gate").at("dropout").at("p"), 0.25);
}

TEST(ScoreSpec, ALayerChangesOneMemberOfTheGate) {
    Json document{{"preset", "thesis-G1"}};
    document["encoder"]["layers"]["1"]["self"]["score"] = {{"gate", {{"act", "relu"}}}};
    const Json tree = parse(document).resolvedTree();
    EXPECT_EQ(tree.at("encoder.layers.1.self.score").at("gate").at("act"), "relu");
    EXPECT_EQ(tree.at("encoder.layers.2.self.score").at("gate").at("act"), "tanh");
    const Json exception = parse(document).compact().at("encoder").at("layers").at("1").at("self").at("score");
    EXPECT_EQ(exception, (Json{{"rule", "add"}, {"gate", {{"act", "relu"}}}}));
}

TEST(ScoreSpec, CompactFormSaysTheLeastAndMeansTheSame) {
    for (const Json& gate : {Json(), Json::object(), Json{{"act", "sigmoid"}}, Json{{"dropout", {{"p", 0.5}}}},
                             Json{{"max_len", 20}, {"per_source", true}}}) {
        const VariantSpec variant =
            parse({{"encoder",
                    {{"sublayers", {{{"name", "self"}, {"score", {{"rule", "add"}, {"gate", gate}}}}, {{"name", "ffn"}}}}}}});
        const Json written = variant.compact().at("encoder").at("sublayers").at(0).at("score");
        EXPECT_EQ(written.value("gate", Json()), gate) << variant.compact();
        EXPECT_EQ(parse(variant.compact()).resolvedTree(), variant.resolvedTree());
        EXPECT_EQ(parse(variant.compact()).hash(), variant.hash());
    }
}

TEST(ScoreSpec, GateSaysNoWhereItIsTaken) {
    Json document{{"preset", "thesis-G1"}, {"defaults", {{"score", {{"gate", {{"act", "tan"}}}}}}}};
    EXPECT_THAT(messageOf(document), HasSubstr("score.gate.act"));
    EXPECT_THAT(messageOf(document), HasSubstr("did you mean \"tanh\"?"));
    document["defaults"]["score"]["gate"] = {{"dropout", {{"p", 2}}}};
    EXPECT_THAT(messageOf(document), HasSubstr("score.gate.dropout.p"));
    document["defaults"]["score"] = {{"gate", nullptr}, {"offsets", {1, 1}}};
    EXPECT_THAT(messageOf(document), HasSubstr("is listed twice"));
}

TEST(ScoreSpec, ExampleOfTheSpecification) {
    // variants.md section 5: thesis G2 with EAU on the encoder.
    const VariantSpec variant = parse(parseJson(
        R"({"preset":"thesis-T","dims":{"d":256,"f":2048,"heads":6,"key_dim":32,"layers_enc":4,"layers_dec":4,"max_len":64},
            "defaults":{"score":{"rule":"add","offsets":[1,2],"source":"raw","sites":["enc_self","dec_self"],
                                 "gate":{"act":"tanh","max_len":64}}},
            "encoder":{"sublayers":[{"name":"self","adjuster":{"kind":"eau"}},{"name":"ffn"}]}})",
        "example"));
    const std::int64_t gates = 2 * 4 * 6 * 64 * (64 + 1), eau = 2 * 256 * 256 + 5 * 256 / 2;
    EXPECT_EQ(countCost(variant.resolve(8500, 8500)).parameters, 17323060 + gates + 4 * eau);
}

TEST(ScoreSpec, TheThesisSizesAreThoseOfTheTableOfBudgets) {
    // variants.md 4.3 and T6: the stated sizes, and a tuple that gives the stated budget.
    const auto parameters = [](const char* preset) { return countCost(parse({{"preset", preset}}).resolve()).parameters; };
    EXPECT_EQ(parameters("thesis-stated"), 39339828);
    EXPECT_EQ(parameters("thesis-fitA"), 17323060);
}

TEST(ScoreSpec, CountsOfTheThesis) {
    // variants.md 4.3: W per head, layer and stack; the bias [H,S] beside it.
    const auto gates = [](const std::string& preset, const char* bias) {
        std::int64_t count = 0;
        const ResolvedVariant variant =
            parse({{"preset", preset}, {"defaults", {{"score", {{"gate", {{"bias", bias}}}}}}}}).resolve(9, 9);
        for (const auto& module : countCost(variant).modules)
            if (module.path.ends_with(".score")) count += module.parameters;
        return count;
    };
    EXPECT_EQ(gates("thesis-G1", "none"), 196608);
    EXPECT_EQ(gates("thesis-G1", "vector"), 196608 + 3072);
    EXPECT_EQ(gates("thesis-G2", "none"), 196608);
    EXPECT_EQ(gates("thesis-G2-separate", "none"), 393216);
    EXPECT_EQ(gates("thesis-G3-separate", "none"), 589824);
    EXPECT_EQ(gates("thesis-Gσ", "none"), 196608);
}

}  // namespace
}  // namespace heddle
