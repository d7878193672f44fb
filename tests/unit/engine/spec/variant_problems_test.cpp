// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_spec.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

using ::testing::HasSubstr;

TEST(VariantProblems, EachNamesItsPathAndRemedy) {
    EXPECT_THAT(problemsOfText(R"({"preset":"eau-ful"})"),
                HasSubstr("preset|unknown preset \"eau-ful\"|did you mean \"eau-full\"?"));
    EXPECT_THAT(problemsOfText(R"({"topologie":"encdec"})"),
                HasSubstr("topologie|unknown key \"topologie\"|did you mean \"topology\"?"));
    EXPECT_THAT(problemsOfText(R"({"dims":{"head":8}})"), HasSubstr("dims.head|unknown key \"head\"|did you mean \"heads\"?"));
    EXPECT_THAT(problemsOfText(R"({"defaults":{"residual":"gcr"}})"),
                HasSubstr("defaults.residual.kind|unknown value \"gcr\"|did you mean \"grc\"?"));
    EXPECT_THAT(problemsOfText(R"({"embed":{"kind":"learned"}})"),
                HasSubstr("embed.kind|unknown key \"kind\"|slot embed names its block by \"source\": did you mean \"learned\"? "
                          "Known: learned, "));
    EXPECT_THAT(
        problemsOfText(R"({"defaults":{"score":{"kind":"ad"}}})"),
        HasSubstr("defaults.score.kind|unknown key \"kind\"|slot score names its block by \"rule\": did you mean \"add\"? "
                  "Known: none, add"));
    EXPECT_THAT(problemsOfText(R"({"defaults":{"residual":{"kind":"grc","gate_imput":"r"}}})"),
                HasSubstr("defaults.residual.gate_imput|unknown key \"gate_imput\"|did you mean \"gate_input\"?"));
    EXPECT_THAT(
        problemsOfText(R"({"encoder":{"layers":{"3":{"self":{"residual":{"kind":"grc","gate_input":"q"}}}}}})"),
        HasSubstr(
            "encoder.layers.3.self.residual.gate_input|unknown value \"q\"|did you mean \"r\"? Known: r, norm_r, s, concat"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"name":"cros"}]}})"), HasSubstr("encoder.sublayers.0.name|"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"name":"self"},{"name":"self"}]}})"), HasSubstr("appears twice"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"adjuster":"eau"}]}})"),
                HasSubstr("encoder.sublayers.0|a sublayer needs a name"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[]}})"),
                HasSubstr("encoder.sublayers|a layer needs at least one sublayer"));
    EXPECT_THAT(problemsOfText(R"({"decoder":{"sublayers":[{"name":"self"}]}})"), HasSubstr("without \"cross\""));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"name":"ffn","scorer":"dot"}]}})"),
                HasSubstr("encoder.ffn.scorer|unknown key"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"layers":{"6":{}}}})"),
                HasSubstr("encoder.layers.6|there is no layer 6|the encoder has layers 0 to 5 (dims.layers_enc)"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"layers":{"01":{}}}})"), HasSubstr("there is no layer 01"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"layers":{"0":{"slef":{}}}}})"),
                HasSubstr("encoder.layers.0.slef|unknown key \"slef\"|did you mean \"self\"?"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"name":"self"}],"layers":{"0":{"ffn":{}}}}})"),
                HasSubstr("encoder.layers.0.ffn|unknown key \"ffn\"|Known: self"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"layers":[]}})"), HasSubstr("encoder.layers|"));
    EXPECT_THAT(problemsOfText(R"([])"), HasSubstr("is of the wrong type|use an object"));
    EXPECT_THAT(problemsOfText(R"({"defaults":{"residual":5}})"), HasSubstr("defaults.residual|5 is of the wrong type"));
    EXPECT_THAT(problemsOfText(R"({"encoder":{"sublayers":[{"name":"self","residual":5},{"name":"ffn"}]}})"),
                HasSubstr("encoder.self.residual|5 is of the wrong type"));
}

TEST(VariantProblems, AllAtOnceAndEachOnce) {
    const auto problems = problemsOfText(R"({"dims":{"d":0},"defaults":{"residual":"gcr","resdual":"add"},
        "encoder":{"layers":{"0":{"self":{"adjuster":"eua"}}}},"heed":"lm"})");
    EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), 5) << problems;
}

TEST(VariantProblems, ABlocksOwnCheckIsReportedOnceForAllLayers) {
    const auto problems = problemsOfText(
        R"({"encoder":{"sublayers":[{"name":"self"},{"name":"ffn","adjuster":{"kind":"eau","where":"before_wo"}}]}})");
    EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), 1) << problems;
    EXPECT_THAT(problems, HasSubstr("encoder.layers.0.ffn.adjuster.where|"));
}

TEST(VariantProblems, GarbageNeverDoesWorse) {
    const std::vector<Json> garbage{
        nullptr, true, -1, 0.5, "x", Json::array(), Json::object(), R"([[1]])"_json, R"({"":{"":0}})"_json};
    for (const char* pointer : {"",
                                "/preset",
                                "/topology",
                                "/dims",
                                "/dims/d",
                                "/dims/vocab_src",
                                "/embed",
                                "/embed/source",
                                "/position",
                                "/defaults",
                                "/defaults/norm",
                                "/defaults/norm/kind",
                                "/defaults/norm/final",
                                "/encoder",
                                "/encoder/sublayers",
                                "/encoder/sublayers/0",
                                "/encoder/sublayers/0/name",
                                "/encoder/sublayers/0/residual",
                                "/encoder/layers",
                                "/encoder/layers/0",
                                "/encoder/layers/0/self",
                                "/encoder/layers/0/self/residual",
                                "/head",
                                "/head/tied",
                                "/init",
                                "/meta"})
        for (const bool preset : {false, true})
            for (const auto& value : garbage) {
                Json document =
                    R"({"embed":{},"defaults":{"norm":{}},"head":{},"encoder":{"sublayers":[{"name":"self"}],"layers":{"0":{"self":{}}}}})"_json;
                if (preset) document["preset"] = "eau-full";
                document[Json::json_pointer(pointer)] = value;
                std::vector<Problem> problems;
                EXPECT_NO_THROW(VariantSpec::parse(document, builtinCatalogue(), problems)) << document;
            }
}

}  // namespace
}  // namespace heddle
