// SPDX-License-Identifier: Apache-2.0
// Every tokenizer tells which characters its tokens stand for.
#include "engine/data/tokenizers/places.h"

#include "engine/base/unicode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string>& lines() {
    static const std::vector<std::string> kLines{"The 18th of May, 1900–1905: it was long.", "昨天安娜从北京 坐火车回家了。",
                                                 "Größe e\u0301tait İstanbul & Co. &amp; \"x\"", "  two  spaces\tand a tab ",
                                                 "한국어 [UNK] ΟΔΟΣ"};
    return kLines;
}

std::string slice(const std::string& text, const PlacedToken& token) {
    const std::vector<std::string> characters = splitCodePoints(text);
    std::string part;
    for (std::int32_t i = token.begin; i < token.end; ++i) part += characters[static_cast<std::size_t>(i)];
    return part;
}

std::vector<std::string> slices(const Tokenizer& tokenizer, const std::string& text) {
    std::vector<std::string> all;
    for (const PlacedToken& token : placesOf(tokenizer, text)) all.push_back(slice(text, token));
    return all;
}

TokenizerSpec ofKind(const std::string& kind, bool lower) {
    TokenizerSpec spec;
    spec.kind = choiceNamed<TokenizerKind>(kind.substr(0, kind.find(' '))).value();
    if (kind == "words 13a") spec.split = WordSplit::Tokenizer13a;
    spec.minCount = 1;
    spec.vocabSize = kind == "sentencepiece" ? 72 : 120;
    spec.lower = lower;
    return spec;
}

TEST(Places, AreThoseOfTheTokensOfEncode) {
    for (const char* const kind : {"words", "words 13a", "characters", "wordpiece", "sentencepiece"})
        for (const bool lower : {false, true}) {
            const auto tokenizer = trainTokenizer(lines(), ofKind(kind, lower));
            for (const std::string& line : lines()) {
                std::vector<std::int32_t> ids;
                std::int32_t before = 0;
                for (const PlacedToken& token : placesOf(*tokenizer, line)) {
                    ids.push_back(token.id);
                    EXPECT_LE(before, token.begin) << kind << ": " << line;
                    EXPECT_LE(token.begin, token.end);
                    EXPECT_LE(token.end, countCodePoints(line));
                    before = token.begin;
                }
                EXPECT_EQ(ids, tokenizer->encode(line)) << kind << ": " << line;
            }
        }
}

TEST(Places, CoverTheWords) {
    const auto words = trainTokenizer(lines(), ofKind("words", true));
    EXPECT_THAT(slices(*words, " Größe  İstanbul x"), ElementsAre("Größe", "İstanbul", "x"));
    const auto marks = trainTokenizer(lines(), ofKind("words 13a", false));
    EXPECT_THAT(slices(*marks, "May, 1900: &amp; \"x\"."), ElementsAre("May", ",", "1900", ":", "&amp;", "\"", "x", "\"", "."));
    const auto characters = trainTokenizer(lines(), ofKind("characters", false));
    EXPECT_THAT(slices(*characters, "安娜 a b"), ElementsAre("安", "娜", " ", "a", " ", "b"));
}

TEST(Places, PiecesArePartsOfWords) {
    TokenizerSpec spec = ofKind("wordpiece", true);
    spec.vocabSize = 15;
    const auto pieces = trainTokenizer({"18 18 18 th th th 18th é é e e"}, spec);
    const std::string text = "the E\u0301 18th";
    for (const PlacedToken& token : placesOf(*pieces, text)) EXPECT_FALSE(slice(text, token).empty());
    EXPECT_EQ(slices(*pieces, "É").front(), "É");
    const auto sentence = trainTokenizer(lines(), ofKind("sentencepiece", false));
    for (const std::string& part : slices(*sentence, "it was long"))
        EXPECT_TRUE(part == " " || !part.starts_with(' ')) << "the space before a word is no part of an answer: " << part;
}

}  // namespace
}  // namespace heddle
