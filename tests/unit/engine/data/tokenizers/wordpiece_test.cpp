// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"
#include "engine/data/tokenizers/bert_text.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::invalidInput;
using testing_support::TempFolder;

// The vocabulary and cases of the published tests of BERT's tokenization.py, in a publisher's order.
const char* const kVocab = "[PAD]\nthe\n[UNK]\nwant\n##want\n##ed\nwa\nun\nrunn\n##ing\n,\n[CLS]\n[SEP]\n[MASK]\nlow\nlowest\n";

class WordPieceTest : public ::testing::Test {
protected:
    std::shared_ptr<const Tokenizer> read(const std::string& vocab, bool lower = true) {
        TokenizerSpec spec;
        spec.kind = TokenizerKind::WordPiece;
        spec.lower = lower;
        spec.vocab = folder_.write("vocab.txt", vocab);
        return trainTokenizer({}, spec);
    }
    TempFolder folder_;
};

TEST(BertText, SplitsPunctuationIdeographsAndWhiteSpace) {
    EXPECT_THAT(bertWords("ah\u535A\u63A8zz", Casing::Keep), ElementsAre("ah", "\u535A", "\u63A8", "zz"));
    EXPECT_THAT(bertWords(" \tHeLLo!how  \n Are yoU?  ", Casing::Lower), ElementsAre("hello", "!", "how", "are", "you", "?"));
    EXPECT_THAT(bertWords(" \tHeLLo!how  \n Are yoU?  ", Casing::Keep), ElementsAre("HeLLo", "!", "how", "Are", "yoU", "?"));
    EXPECT_THAT(bertWords("$5 ^_^ „x“…", Casing::Keep), ElementsAre("$", "5", "^", "_", "^", "„", "x", "“", "…"));
    EXPECT_THAT(bertWords("a\u00A0b\u2003c\u3000d\u2028e", Casing::Keep), ElementsAre("a", "b", "c", "d", "e"));
    EXPECT_THAT(bertWords("", Casing::Lower), IsEmpty());
}

TEST(BertText, LowerCasingStripsAccents) {
    EXPECT_THAT(bertWords("H\u00E9llo HÉLLO e\u0301", Casing::Lower), ElementsAre("hello", "hello", "e"));
    EXPECT_THAT(bertWords("Größe Ångström ΟΔΟΣ İ", Casing::Lower), ElementsAre("große", "angstrom", "οδοσ", "i"));
    EXPECT_THAT(bertWords("Größe e\u0301", Casing::Keep), ElementsAre("Größe", "\u00E9"));
}

TEST(BertText, DropsControlCharactersAndBrokenText) {
    EXPECT_THAT(bertWords("a\x01"
                          "b\u200D c\uFFFD \u00AD",
                          Casing::Keep),
                ElementsAre("ab", "c"));
    EXPECT_THAT(bertWords("a\xFF"
                          "b",
                          Casing::Keep),
                ElementsAre("ab"));
}

TEST_F(WordPieceTest, TakesTheLongestPieceFirst) {
    const auto tokenizer = read(kVocab);
    EXPECT_THAT(tokenizer->tokens("UNwant\u00E9d,running"), ElementsAre("un", "##want", "##ed", ",", "runn", "##ing"));
    EXPECT_THAT(tokenizer->tokens("lowest low"), ElementsAre("lowest", "low"));
    EXPECT_THAT(tokenizer->tokens("unwantedX running"), ElementsAre("[UNK]", "runn", "##ing"))
        << "a word is covered or unknown";
    EXPECT_THAT(tokenizer->tokens("ing"), ElementsAre("[UNK]")) << "a ## piece does not begin a word";
    EXPECT_EQ(tokenizer->decode(tokenizer->encode("UNwanted, running the")), "unwanted , running the");
}

TEST_F(WordPieceTest, OurIdsAreFixedAndThePublishersAreTheLines) {
    const auto tokenizer = read(kVocab);
    EXPECT_EQ(tokenizer->size(), 16) << "as many as the file has lines";
    for (const auto& [id, text] :
         {std::pair{kUnk, "[UNK]"}, {kPad, "[PAD]"}, {kSos, "[CLS]"}, {kEos, "[SEP]"}, {kMask, "[MASK]"}})
        EXPECT_EQ(tokenizer->token(id), text);
    EXPECT_EQ(tokenizer->maskId(), kMask);
    EXPECT_EQ(tokenizer->specials(), 5);
    std::vector<std::int32_t> publisher;
    for (std::int32_t id = 0; id < tokenizer->size(); ++id) publisher.push_back(tokenizer->publisherId(id));
    EXPECT_THAT(publisher, ElementsAre(2, 0, 11, 12, 13, 1, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15));
    EXPECT_THAT(tokenizer->encode("the want"), ElementsAre(5, 6));
    EXPECT_EQ(tokenizer->withMask()->hash(), tokenizer->hash());
    EXPECT_THAT(invalidInput([&] { tokenizer->publisherId(16); }), HasSubstr("token id 16 is out of range"));
}

TEST_F(WordPieceTest, SpecialsInTheTextAreNeverSplit) {
    const auto tokenizer = read(kVocab);
    EXPECT_THAT(tokenizer->encode("the [MASK],[SEP]low [mask]"), ElementsAre(5, kMask, 13, kEos, 14, kUnk, kUnk, kUnk));
    EXPECT_EQ(tokenizer->decode({kSos, 5, kMask, kUnk, kEos, kPad}), "the [UNK]");
}

TEST_F(WordPieceTest, WordsOfMoreThanAHundredCharactersAreUnknown) {
    const auto tokenizer = read(std::string(kVocab) + "ö\n##ö\n", false);
    std::string word;
    for (int i = 0; i < 100; ++i) word += "ö";
    EXPECT_EQ(tokenizer->encode(word).size(), 100U) << "characters, not bytes";
    EXPECT_THAT(tokenizer->encode(word + "ö"), ElementsAre(kUnk));
}

TEST_F(WordPieceTest, OfEqualEntriesTheLaterCounts) {
    const auto tokenizer = read(std::string(kVocab) + "the\n");
    EXPECT_EQ(tokenizer->size(), 17);
    EXPECT_EQ(tokenizer->publisherId(tokenizer->encode("the")[0]), 16);
}

TEST_F(WordPieceTest, SavedFormIsTheSameTokenizer) {
    const auto tokenizer = read(kVocab);
    tokenizer->save(folder_.path(), "source");
    const auto loaded = loadTokenizer(folder_.path(), "source");
    EXPECT_EQ(loaded->hash(), tokenizer->hash());
    EXPECT_EQ(loaded->encode("UNwanted, the"), tokenizer->encode("UNwanted, the"));
    EXPECT_EQ(loaded->publisherId(kSos), 11);
    EXPECT_TRUE(loaded->spec().lower);
    EXPECT_NE(read(kVocab, false)->hash(), tokenizer->hash());
}

TEST_F(WordPieceTest, WhatIsNoVocabularyIsNamed) {
    EXPECT_THAT(invalidInput([&] { read("[UNK]\n[PAD]\n[CLS]\nthe\n"); }), HasSubstr("has 0 lines [SEP]"));
    EXPECT_THAT(invalidInput([&] { read(std::string(kVocab) + "[MASK]\n"); }), HasSubstr("has 2 lines [MASK]"));
    TokenizerSpec spec;
    spec.vocab = folder_.file("absent.txt");
    EXPECT_THAT(invalidInput([&] { trainTokenizer({}, spec); }), HasSubstr("absent.txt"));
}

TokenizerSpec training(std::int64_t size) {
    TokenizerSpec spec;
    spec.kind = TokenizerKind::WordPiece;
    spec.vocabSize = size;
    spec.minCount = 1;
    return spec;
}

std::vector<std::string> piecesOf(const Tokenizer& tokenizer) {
    std::vector<std::string> pieces;
    for (std::int64_t id = tokenizer.specials(); id < tokenizer.size(); ++id)
        pieces.push_back(tokenizer.token(static_cast<std::int32_t>(id)));
    return pieces;
}

TEST(WordPieceTraining, JoinsTheMostFrequentPairTiesByBytes) {
    // Characters by falling count: ##a 6, a 6, b 4, ##b 3. Pairs: a ##a 3, b ##a 3, ##a ##b 2, a ##b 1; then aa ##b 2.
    const std::vector<std::string> lines{"aab aab aa", "ba ba ba b", "a a", "ab"};
    const auto tokenizer = trainTokenizer(lines, training(12));
    EXPECT_THAT(piecesOf(*tokenizer), ElementsAre("##a", "a", "b", "##b", "aa", "ba", "aab"));
    EXPECT_THAT(tokenizer->tokens("aab ba ab aaa"), ElementsAre("aab", "ba", "a", "##b", "aa", "##a"));
}

TEST(WordPieceTraining, DependsOnTheLinesAndTheSpecAlone) {
    std::vector<std::string> lines;
    for (int i = 0; i < 300; ++i)
        lines.push_back("der hund " + std::to_string(i * 7919 % 1000) + " läuft und liest " + std::to_string(i));
    const auto tokenizer = trainTokenizer(lines, training(120));
    EXPECT_EQ(tokenizer->size(), 120);
    std::reverse(lines.begin(), lines.end());
    EXPECT_EQ(trainTokenizer(lines, training(120))->hash(), tokenizer->hash());
    EXPECT_EQ(tokenizer->publisherId(77), 77);
    for (const std::string& line : lines) EXPECT_EQ(tokenizer->decode(tokenizer->encode(line)), line);
    const auto more = piecesOf(*trainTokenizer(lines, training(140))), fewer = piecesOf(*tokenizer);
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), more.begin())) << "a larger vocabulary begins with the smaller one";
}

TEST(WordPieceTraining, RareCharactersGiveWayWhenThereIsNoRoom) {
    const auto tokenizer = trainTokenizer({"a a a b b c"}, training(7));
    EXPECT_THAT(piecesOf(*tokenizer), ElementsAre("a", "b"));
    EXPECT_THAT(tokenizer->encode("c a"), ElementsAre(kUnk, 5));
}

TEST(WordPieceTraining, AVocabularyThatTheTextCannotFillIsAnError) {
    EXPECT_THAT(invalidInput([] { trainTokenizer({"ab ab"}, training(100)); }), HasSubstr("give 8 pieces, not 100"));
    TokenizerSpec spec = training(8);
    EXPECT_EQ(trainTokenizer({"ab ab"}, spec)->size(), 8);
    spec.minCount = 3;
    EXPECT_THAT(invalidInput([&] { trainTokenizer({"ab ab"}, spec); }), HasSubstr("no other pair occurs 3 times"));
    EXPECT_THAT(invalidInput([] { trainTokenizer({"", " "}, training(100)); }), HasSubstr("no words in 2 lines"));
    EXPECT_THAT(invalidInput([] { trainTokenizer({"a"}, training(5)); }), HasSubstr("no room"));
}

}  // namespace
}  // namespace heddle
