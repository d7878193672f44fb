// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/spec/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

namespace heddle {
namespace {

using ::testing::HasSubstr;

Json after(Json document, const std::vector<std::string>& assignments) {
    for (const auto& assignment : assignments) applySet(document, assignment);
    return document;
}

Json tree(const Json& document, const std::string& path) {
    return RunSpec::parse(document, builtinCatalogue()).variant.resolvedTree().value(path, Json());
}

std::string messageOf(const Json& document, const std::string& assignment) {
    try {
        after(document, {assignment});
    } catch (const Error& error) {
        return std::to_string(static_cast<int>(error.code())) + ": " + error.what();
    }
    return "no error";
}

TEST(ApplySet, RunPaths) {
    EXPECT_EQ(
        after(Json::object(), {"train.lr=5e-4", "seed=7", "train.optimizer.betas=[0.9,0.999]", "data.tokenizer.lower=true"}),
        R"({"train":{"lr":5e-4,"optimizer":{"betas":[0.9,0.999]}},"seed":7,"data":{"tokenizer":{"lower":true}},"variant":{}})"_json);
    EXPECT_EQ(after(R"({"train":{"optimizer":{"betas":[0.9,0.98],"eps":1e-9}}})"_json,
                    {"train.optimizer.betas.1=0.999", "train.optimizer.kind=adam"}),
              R"({"train":{"optimizer":{"betas":[0.9,0.999],"eps":1e-9,"kind":"adam"}}})"_json);
}

TEST(ApplySet, TextsStayTexts) {
    EXPECT_EQ(after(R"({"seed":1})"_json, {"name=7"})["name"], "7");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"name=true"})["name"], "true");
    EXPECT_EQ(after(R"({"seed":1})"_json, {R"(name="a b")"})["name"], "a b");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"name=a=b"})["name"], "a=b");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"name="})["name"], "");
}

TEST(ApplySet, DataFilesStartWhereTheUserStands) {
    const auto here = std::filesystem::current_path().string();
    EXPECT_EQ(after(R"({"seed":1})"_json, {"data.train.source=a.en"})["data"]["train"]["source"], here + "/a.en");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"data.test.target=/x/a.de"})["data"]["test"]["target"], "/x/a.de");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"data.test.target="})["data"]["test"]["target"], "");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"data.tokenizer.file=a"})["data"]["tokenizer"]["file"], here + "/a");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"data.tokenizer.target.vocab=a"})["data"]["tokenizer"]["target"]["vocab"],
              here + "/a");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"data.vectors=a.vec"})["data"]["vectors"], here + "/a.vec");
    EXPECT_EQ(after(R"({"seed":1})"_json, {"train.start.checkpoint=a"})["train"]["start"]["checkpoint"], here + "/a");
    EXPECT_EQ(after(R"({"seed":1})"_json, {R"(data.vectors="a.vec")"})["data"]["vectors"], here + "/a.vec");
    EXPECT_EQ(after(R"({"seed":1})"_json, {R"(data.train={"source":"a","target":"/b"})"})["data"]["train"],
              (Json{{"source", here + "/a"}, {"target", "/b"}}));
    EXPECT_EQ(after(R"({"seed":1})"_json, {"variant.data.vectors=a.vec"})["data"]["vectors"], here + "/a.vec");
    EXPECT_EQ(after(R"({"seed":1})"_json, {R"(data={"tokenizer":{"target":{"file":"a"}}})"}),
              (Json{{"seed", 1}, {"data", {{"tokenizer", {{"target", {{"file", here + "/a"}}}}}}}}));
    EXPECT_EQ(after(R"({"seed":1})"_json, {"data.columns.text=a"})["data"]["columns"]["text"], "a") << "names no file";
}

TEST(ApplySet, EveryFieldThatNamesAFileAndNoOtherStartsWhereTheUserStands) {
    const auto here = std::filesystem::current_path().string();
    int files = 0;
    const std::function<void(const FieldSchema&, const std::string&)> visit = [&](const FieldSchema& field,
                                                                                  const std::string& path) {
        for (const FieldSchema& member : field.fields)
            if (field.type == FieldSchema::Type::Object) visit(member, childPath(path, member.key));
        if (field.type != FieldSchema::Type::String) return;
        files += namesFile(field);
        const Json set = after(R"({"seed":1})"_json, {path + "=a"});
        EXPECT_EQ(set.at(pointerOf(path)), namesFile(field) ? here + "/a" : "a") << path;
    };
    visit(runSchema(), "");
    EXPECT_EQ(files, 12);
}

TEST(ApplySet, VariantPathsInBothForms) {
    for (const char* document : {R"({"preset":"eau-base"})", R"({"variant":{"preset":"eau-base"}})"})
        for (const char* prefix : {"", "variant."})
            EXPECT_EQ(after(Json::parse(document), {prefix + std::string("dims.d=128")}),
                      R"({"variant":{"preset":"eau-base","dims":{"d":128}}})"_json);
    EXPECT_EQ(after(Json::object(), {"variant={\"preset\":\"eau-full\"}", "dims.vocab_src=from_data"}),
              R"({"variant":{"preset":"eau-full","dims":{"vocab_src":"from_data"}}})"_json);
    EXPECT_EQ(after(Json::object(), {"preset=eau-full", "position=learned", "defaults.norm.place=pre"}),
              R"({"variant":{"preset":"eau-full","position":"learned","defaults":{"norm":{"place":"pre"}}}})"_json);
}

TEST(ApplySet, ResolvedPaths) {
    const auto set = after(R"({"preset":"eau-base"})"_json,
                           {"encoder.layers.1.self.residual.kind=grc", "encoder.layers.1.self.residual.gate_input=s"});
    EXPECT_EQ(tree(set, "encoder.layers.1.self.residual"), R"({"kind":"grc","gate_input":"s","bias_init":null})"_json);
    EXPECT_EQ(tree(set, "encoder.layers.0.self.residual")["kind"], "add");
}

TEST(ApplySet, ASublayerOfAStack) {
    const auto set = after(R"({"preset":"eau-base"})"_json, {"encoder.self.adjuster=eau", "decoder.cross.residual.kind=grc"});
    for (int layer = 0; layer < 6; ++layer) {
        EXPECT_EQ(tree(set, "encoder.layers." + std::to_string(layer) + ".self.adjuster")["kind"], "eau");
        EXPECT_EQ(tree(set, "decoder.layers." + std::to_string(layer) + ".cross.residual")["kind"], "grc");
    }
    EXPECT_EQ(tree(set, "encoder.layers.0.ffn.adjuster")["kind"], "none");
    EXPECT_EQ(tree(set, "decoder.layers.0.self.adjuster")["kind"], "none");
    // What the preset says of the other sublayers stays.
    const auto full = after(R"({"preset":"eau-full"})"_json, {"decoder.ffn.ffn.act=gelu"});
    EXPECT_EQ(tree(full, "decoder.layers.0.cross.adjuster")["kind"], "eau");
    EXPECT_EQ(tree(full, "decoder.layers.0.ffn.ffn")["act"], "gelu");
    // An existing list is edited in place.
    const auto listed =
        after(R"({"encoder":{"sublayers":[{"name":"self","residual":"grc"}]}})"_json, {"encoder.self.residual.gate_input=s"});
    EXPECT_EQ(listed["variant"]["encoder"]["sublayers"],
              R"([{"name":"self","residual":{"kind":"grc","gate_input":"s"}}])"_json);
}

TEST(ApplySet, AnotherKindDropsParametersTheSameKeepsThem) {
    const Json document = R"({"defaults":{"residual":{"kind":"grc","gate_input":"s"}}})"_json;
    EXPECT_EQ(after(document, {"defaults.residual.kind=alpha"})["variant"]["defaults"]["residual"], R"({"kind":"alpha"})"_json);
    EXPECT_EQ(after(document, {"defaults.residual=alpha"})["variant"]["defaults"]["residual"], "alpha");
    EXPECT_EQ(after(document, {"defaults.residual.kind=grc"})["variant"]["defaults"]["residual"],
              document["defaults"]["residual"]);
    EXPECT_EQ(after(R"({"embed":{"source":"learned","dropout":0.3}})"_json, {"embed.source=tied_out"})["variant"]["embed"],
              R"({"source":"tied_out"})"_json);
}

TEST(ApplySet, RefusesWithAReason) {
    const Json empty = Json::object();
    EXPECT_THAT(messageOf(empty, "train.lr"), HasSubstr("2: not of the form path=value"));
    EXPECT_THAT(messageOf(empty, "=3"), HasSubstr("2: not of the form path=value"));
    EXPECT_THAT(messageOf(empty, "train..lr=3"), HasSubstr("2: a part of the path is empty"));
    EXPECT_THAT(messageOf(empty, "name=\xff"), HasSubstr("3: not valid UTF-8"));
    EXPECT_THAT(messageOf(empty, "trian.lr=3"),
                HasSubstr("3: unknown key \"trian\" (--set trian.lr): did you mean \"train\"?"));
    EXPECT_THAT(messageOf(empty, "encdoer.self.adjuster=eau"), HasSubstr("did you mean \"encoder\"?"));
    EXPECT_THAT(messageOf(empty, "encoder.slef.adjuster=eau"),
                HasSubstr("unknown key \"slef\" (--set encoder.slef.adjuster): did you mean \"self\"?"));
    EXPECT_THAT(messageOf(empty, "encoder.cross.adjuster=eau"), HasSubstr("unknown key \"cross\""));
    EXPECT_THAT(messageOf(empty, "encoder.self=eau"), HasSubstr("a slot is missing"));
    EXPECT_THAT(messageOf(empty, "encoder.norm.eps=1"), HasSubstr("defaults.norm.final"));
    EXPECT_THAT(messageOf(empty, "train.optimizer={\"kind\":"), HasSubstr("not valid JSON"));
    EXPECT_THAT(messageOf(R"({"train":{"lr":1}})"_json, "train.lr.x=3"), HasSubstr("\"x\" is not inside an object"));
    EXPECT_THAT(messageOf(R"({"train":{"optimizer":{"betas":[1,2]}}})"_json, "train.optimizer.betas.2=3"),
                HasSubstr("no such list index: 2"));
    EXPECT_THAT(messageOf(R"({"encoder":{"sublayers":[{"name":"self"}]}})"_json, "encoder.ffn.residual=grc"),
                HasSubstr("the encoder has no sublayer \"ffn\""));
    EXPECT_THAT(messageOf(Json::array(), "train.lr=3"), HasSubstr("the document is not an object"));
}

TEST(ApplySet, GarbageIsRefusedNeverWorse) {
    const std::vector<Json> garbage{
        true, -1, "x", Json::array(), R"([[1]])"_json, R"([{"name":7}])"_json, R"({"":{"":0}})"_json};
    for (const char* pointer : {"/variant", "/variant/preset", "/variant/encoder", "/variant/encoder/sublayers",
                                "/variant/encoder/layers", "/variant/encoder/layers/0", "/variant/defaults",
                                "/variant/defaults/residual", "/train", "/train/optimizer", "/data"})
        for (const auto& value : garbage)
            for (const char* assignment :
                 {"encoder.self.residual.kind=grc", "encoder.self.adjuster=eau", "encoder.layers.0.self.residual.gate_input=s",
                  "defaults.residual.kind=grc", "train.optimizer.kind=adam", "data.train.source=a", "preset=eau-base"}) {
                Json document = R"({"train":{},"variant":{"encoder":{}}})"_json;
                document[Json::json_pointer(pointer)] = value;
                try {
                    applySet(document, assignment);
                } catch (const Error& error) {
                    EXPECT_FALSE(error.next().empty());
                } catch (const std::exception& error) {
                    FAIL() << pointer << " = " << value << ", " << assignment << ": " << error.what();
                }
            }
}

TEST(ApplySet, UnknownKeysBelowAreLeftToParse) {
    const Json document = after(Json::object(), {"train.lrr=3", "dims.head=4", "encoder.layers.1.slef.residual=grc"});
    EXPECT_THAT(
        [&] { RunSpec::parse(document, builtinCatalogue()); },
        testing::ThrowsMessage<Error>(testing::AllOf(HasSubstr("did you mean \"lr\"?"), HasSubstr("did you mean \"heads\"?"),
                                                     HasSubstr("did you mean \"self\"?"))));
}

}  // namespace
}  // namespace heddle
