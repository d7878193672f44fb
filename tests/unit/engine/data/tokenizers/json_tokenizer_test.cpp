// SPDX-License-Identifier: Apache-2.0
// Reading tokenizer.json: the ids are those that Hugging Face's `tokenizers` gives (cases by
// tests/oracle/tokenizer_json_oracle.py).
#include "engine/data/tokenizers/json/json_tokenizer.h"
#include "engine/base/json.h"
#include "engine/data/tokenizers/json/step.h"
#include "engine/data/tokenizers/places.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::invalidInput;
using testing_support::TempFolder;

Json casesOf(const std::string& name) {
    return readJsonFile(std::string(HEDDLE_SOURCE_DIR "/tests/unit/engine/data/tokenizers/cases/") + name + ".json");
}

std::vector<std::int32_t> publisherIds(const Tokenizer& tokenizer, const std::string& line) {
    std::vector<std::int32_t> ids = tokenizer.encode(line);
    for (std::int32_t& id : ids) id = tokenizer.publisherId(id);
    return ids;
}

class JsonTokenizerCases : public ::testing::TestWithParam<const char*> {};

TEST_P(JsonTokenizerCases, IdsAreThoseOfTokenizers) {
    const Json document = casesOf(GetParam());
    const auto tokenizer = readTokenizerJson(document.at("tokenizer"), GetParam());
    ASSERT_GT(document.at("cases").size(), 50U);
    for (const Json& one : document.at("cases")) {
        const auto text = one.at("text").get<std::string>();
        EXPECT_EQ(publisherIds(*tokenizer, text), one.at("ids").get<std::vector<std::int32_t>>()) << text;
    }
}

TEST_P(JsonTokenizerCases, SavedFormIsTheSameTokenizer) {
    const TempFolder folder;
    const Json document = casesOf(GetParam());
    const auto given = readTokenizer(folder.write("tokenizer.json", document.at("tokenizer").dump(2)), {});
    EXPECT_EQ(given->spec().kind, TokenizerKind::JsonFile);
    given->save(folder.path(), "source");
    const auto loaded = loadTokenizer(folder.path(), "source", given->hash());
    EXPECT_EQ(loaded->hash(), given->hash());
    for (const Json& one : document.at("cases")) {
        const auto text = one.at("text").get<std::string>();
        EXPECT_EQ(loaded->encode(text), given->encode(text));
    }
}

TEST_P(JsonTokenizerCases, PlacesAreInTheLineAndInOrder) {
    const Json document = casesOf(GetParam());
    const auto tokenizer = readTokenizerJson(document.at("tokenizer"), GetParam());
    for (const Json& one : document.at("cases")) {
        const auto text = one.at("text").get<std::string>();
        std::int32_t before = 0;
        for (const PlacedToken& token : placesOf(*tokenizer, text)) {
            EXPECT_LE(before, token.begin + 1) << text;  // characters of one composed character share a place
            EXPECT_LE(token.begin, token.end) << text;
            before = token.begin;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Published, JsonTokenizerCases,
                         ::testing::Values("gpt2", "roberta", "bert-uncased", "unigram-xlmr", "unigram-albert", "unigram-t5"),
                         [](const auto& named) {
                             std::string name = named.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(JsonTokenizer, ByteLevelDecodesToTheSameBytes) {
    const Json document = casesOf("gpt2");
    const auto tokenizer = readTokenizerJson(document.at("tokenizer"), "gpt2");
    for (const Json& one : document.at("cases")) {
        const auto text = one.at("text").get<std::string>();
        if (text.find("<|endoftext|>") != std::string::npos) continue;  // special tokens are not shown
        EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
    }
}

TEST(JsonTokenizer, EveryByteHasACharacterAndBack) {
    std::set<char32_t> seen;
    for (int byte = 0; byte < 256; ++byte) {
        const char32_t character = byteCharacter(static_cast<unsigned char>(byte));
        EXPECT_EQ(characterByte(character), byte);
        seen.insert(character);
    }
    EXPECT_EQ(seen.size(), 256U);
    EXPECT_EQ(characterByte(U' '), -1);
}

TEST(JsonTokenizer, SpecialTokensHaveOurIds) {
    const auto bert = readTokenizerJson(casesOf("bert-uncased").at("tokenizer"), "bert");
    EXPECT_EQ(bert->maskId(), kMask);
    EXPECT_EQ(bert->token(kSos), "[CLS]");
    EXPECT_THAT(bert->encode("[MASK] [SEP]"), ElementsAre(kMask, kEos));
    const auto gpt2 = readTokenizerJson(casesOf("gpt2").at("tokenizer"), "gpt2");
    EXPECT_EQ(gpt2->maskId(), -1);
    EXPECT_EQ(gpt2->publisherId(kUnk), -1);
    EXPECT_EQ(gpt2->publisherId(kSos), -1);
    EXPECT_EQ(gpt2->token(kSos), "<sos>");
    EXPECT_EQ(gpt2->token(kEos), "<|endoftext|>");
    EXPECT_EQ(gpt2->withMask()->maskId(), kMask);
    EXPECT_EQ(gpt2->withMask()->size(), gpt2->size() + 1);
}

TEST(JsonTokenizer, PlacesLeaveOutTheSpaceBeforeAWord) {
    const auto tokenizer = readTokenizerJson(casesOf("gpt2").at("tokenizer"), "gpt2");
    const auto placed = placesOf(*tokenizer, "a a");
    ASSERT_EQ(placed.size(), 2U);
    EXPECT_EQ(placed[1].begin, 2);
    EXPECT_EQ(placed[1].end, 3);
}

std::string refusal(const std::string& change) {
    Json document = casesOf("gpt2").at("tokenizer");
    document.merge_patch(Json::parse(change));
    return invalidInput([&] { readTokenizerJson(document, "tokenizer.json"); });
}

TEST(JsonTokenizer, WhatIsNotSupportedIsNamed) {
    EXPECT_THAT(refusal(R"({"pre_tokenizer":{"type":"UnicodeScripts"}})"), HasSubstr("the pre-tokenizer UnicodeScripts"));
    EXPECT_THAT(refusal(R"({"normalizer":{"type":"Nmt"}})"), HasSubstr("the normaliser Nmt"));
    EXPECT_THAT(refusal(R"({"decoder":{"type":"CTC"}})"), HasSubstr("the decoder CTC"));
    EXPECT_THAT(refusal(R"({"model":{"type":"WordLevel"}})"), HasSubstr("the model WordLevel"));
    EXPECT_THAT(refusal(R"({"model":{"byte_fallback":true}})"), HasSubstr("byte_fallback"));
    EXPECT_THAT(refusal(R"({"model":{"dropout":0.1}})"), HasSubstr("dropout"));
    EXPECT_THAT(refusal(R"({"normalizer":{"type":"Replace","pattern":{"Regex":"x+"},"content":""}})"), HasSubstr("x+"));
}

TEST(JsonTokenizer, DamageIsNamed) {
    EXPECT_THAT(refusal(R"({"model":{"vocab":{"zz":0}}})"), HasSubstr("\"zz\""));
    EXPECT_THAT(refusal(R"({"model":{"vocab":{"zz":-1}}})"), HasSubstr("\"zz\""));
    EXPECT_THAT(refusal(R"({"model":{"vocab":{"zz":"1"}}})"), HasSubstr("not a tokenizer.json"));
    EXPECT_THAT(refusal(R"({"model":{"merges":["nothing"]}})"), HasSubstr("merge 0 is no pair"));
    EXPECT_THAT(refusal(R"({"model":{"merges":["\u2603 \u2603"]}})"), HasSubstr("not in the vocabulary"));
    EXPECT_THAT(refusal(R"({"added_tokens":[{"id":100000,"content":"x"}]})"), HasSubstr("added token 100000"));
    EXPECT_THAT(refusal(R"({"added_tokens":[{"id":-1,"content":"x"}]})"), HasSubstr("added token -1"));
    EXPECT_THAT(refusal(R"({"model":null})"), HasSubstr("not a tokenizer.json"));
    for (const char* map : {"AAAA", "!!!!", "/////w=="})
        EXPECT_THAT(refusal(R"({"normalizer":{"type":"Precompiled","precompiled_charsmap":")" + std::string(map) + "\"}}"),
                    HasSubstr("Precompiled is damaged"))
            << map;
}

TEST(JsonTokenizer, AMapThatLeadsOutOfItselfIsRefusedWhereItIsAsked) {
    Json document = casesOf("gpt2").at("tokenizer");
    document["normalizer"] = {{"type", "Precompiled"},
                              {"precompiled_charsmap", "BAAAAP////8="}};  // one unit: far beyond the end
    const auto tokenizer = readTokenizerJson(document, "tokenizer.json");
    EXPECT_THAT(invalidInput([&] { tokenizer->encode("a"); }), HasSubstr("Precompiled is damaged"));
}

}  // namespace
}  // namespace heddle
