// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/tokenizer.h"

#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/metrics/bleu.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::invalidInput;
using testing_support::TempFolder;
using Strings = std::vector<std::string>;

TokenizerSpec words(std::int64_t minCount = 1) {
    TokenizerSpec spec;
    spec.minCount = minCount;
    return spec;
}

TEST(Split, WhitespaceJoinsExactlyWhatIsSingleSpaced) {
    const std::string line = "ein mann , der \" läuft \" .";
    EXPECT_THAT(splitWords("  a \t b\u00A0c ", WordSplit::Whitespace), ElementsAre("a", "b", "c"));
    EXPECT_EQ(joinWords(splitWords(line, WordSplit::Whitespace), WordSplit::Whitespace), line);
    EXPECT_EQ(joinWords({}, WordSplit::Whitespace), "");
}

TEST(Split, JoinerOf13aWritesReadableText) {
    for (const std::string text :
         {"A man, in (blue) shirts: runs!", "He said \"yes, please\" and left.", "It costs $1,000.50 or 50%.",
          "Pages 3-4 and/or 5; co-op isn't it?", "„Größe“ zählt nicht.", "See [1] {2}."})
        EXPECT_EQ(joinWords(splitWords(text, WordSplit::Tokenizer13a), WordSplit::Tokenizer13a), text);
}

TEST(Split, JoiningNeverChangesTheTokensOf13a) {
    const Strings pieces{"a",   "B",   "3", "5",   "-",       "--", ".",  ",",   "\"", "'", "(",   ")",
                         "&",   "amp", ";", "<",   "skipped", ">",  "/",  "$",   "#",  "é", "1,5", "U",
                         "...", "lt",  "%", "unk", "quot",    "9-", "-9", "x-y", "\\", "[", "]"};
    std::uint32_t state = 1;
    for (int trial = 0; trial < 20'000; ++trial) {
        Strings list;
        for (std::uint32_t n = trial % 9; n > 0; --n) {
            state = state * 1664525 + 1013904223;
            list.push_back(pieces[(state >> 16) % pieces.size()]);
        }
        EXPECT_EQ(tokenize13a(joinWords(list, WordSplit::Tokenizer13a)), tokenize13a(joinWords(list, WordSplit::Whitespace)))
            << joinWords(list, WordSplit::Whitespace);
    }
}

TEST(Words, IdsFollowFallingCountThenBytes) {
    const auto tokenizer = trainTokenizer({"b a c", "c b d ä", "c"}, words());
    Strings all;
    for (std::int32_t id = 0; id < tokenizer->size(); ++id) all.push_back(tokenizer->token(id));
    EXPECT_THAT(all, ElementsAre("<unk>", "<pad>", "<sos>", "<eos>", "c", "b", "a", "d", "ä"));
}

TEST(Words, DoNotDependOnTheOrderOfLines) {
    Strings lines;
    for (int i = 0; i < 500; ++i)
        lines.push_back(std::string("w").append(std::to_string(i % 37)).append(" x v").append(std::to_string(i % 11)));
    const std::string hash = trainTokenizer(lines, words(2))->hash();
    std::reverse(lines.begin(), lines.end());
    EXPECT_EQ(trainTokenizer(lines, words(2))->hash(), hash);
    EXPECT_NE(trainTokenizer(lines, words(40))->hash(), hash);
}

TEST(Words, RareAndUnseenWordsAreUnknown) {
    const auto tokenizer = trainTokenizer({"a a b", "a c c"}, words(2));
    EXPECT_EQ(tokenizer->size(), 6);
    EXPECT_THAT(tokenizer->encode("c b a z"), ElementsAre(5, 0, 4, 0));
    EXPECT_THAT(tokenizer->tokens("c b a z"), ElementsAre("c", "<unk>", "a", "<unk>"));
}

TEST(Words, DecodeShowsUnknownAndLeavesOutTheOtherSpecials) {
    const auto tokenizer = trainTokenizer({"hello world"}, words());
    EXPECT_EQ(tokenizer->decode({2, 4, 0, 5, 3, 1, 1}), "hello <unk> world");
    EXPECT_THAT(invalidInput([&] { tokenizer->decode({6}); }), HasSubstr("token id 6 is out of range"));
    EXPECT_THAT(invalidInput([&] { tokenizer->token(-1); }), HasSubstr("token id -1 is out of range"));
}

// Text may spell the specials (Penn Treebank spells <unk>): it must not inject an <eos>.
TEST(Words, TextThatSpellsSpecialsIsUnknown) {
    const auto tokenizer = trainTokenizer({"a <unk> <eos> <pad> <sos> <eos>"}, words());
    EXPECT_EQ(tokenizer->size(), 5);
    EXPECT_THAT(tokenizer->encode("a <eos> <unk> <pad>"), ElementsAre(4, 0, 0, 0));
}

TEST(Words, LowerCasesAllOfUnicode) {
    TokenizerSpec spec = words();
    spec.lower = true;
    const auto tokenizer = trainTokenizer({"Ärger ÄRGER ärger ΟΔΟΣ"}, spec);
    EXPECT_EQ(tokenizer->size(), 6);
    EXPECT_THAT(tokenizer->tokens("ÄRGer οδος"), ElementsAre("ärger", "οδος"));
}

TEST(Words, SaveAndLoadGiveTheSameTokenizer) {
    const TempFolder folder;
    TokenizerSpec spec = words();
    spec.lower = true;
    spec.split = WordSplit::Tokenizer13a;
    const auto tokenizer = trainTokenizer({"Hello, \"World\" \\ ü 🙂"}, spec);
    tokenizer->save(folder.path(), "source");
    const auto loaded = loadTokenizer(folder.path(), "source");
    EXPECT_EQ(loaded->hash(), tokenizer->hash());
    EXPECT_EQ(sha256Hex(testing_support::readBytes(folder.file("source.json"))), tokenizer->hash());
    EXPECT_EQ(loaded->encode("HELLO, 🙂 you"), tokenizer->encode("HELLO, 🙂 you"));
    EXPECT_EQ(loaded->decode(loaded->encode("Hello, World")), "hello, world");
}

TEST(Words, DamagedFilesAreRefusedByName) {
    const TempFolder folder;
    EXPECT_THAT(invalidInput([&] { loadTokenizer(folder.path(), "source"); }), HasSubstr("no such tokenizer: \"source\""));
    folder.write("source.json", "{\"schema\":");
    EXPECT_THAT(invalidInput([&] { loadTokenizer(folder.path(), "source"); }), HasSubstr("source.json"));
    folder.write("source.json", R"({"schema":"heddle.words/1","split":"whitespace","lower":1,"min_count":1,"words":[]})");
    EXPECT_THAT(invalidInput([&] { loadTokenizer(folder.path(), "source"); }), HasSubstr("not a Heddle vocabulary"));
    folder.write("source.json", R"({"schema":"heddle.words/1","split":"spaces","lower":true,"min_count":1,"words":[]})");
    EXPECT_THAT(invalidInput([&] { loadTokenizer(folder.path(), "source"); }), HasSubstr("whitespace or 13a"));
    folder.write("source.json", R"({"schema":"heddle.words/9"})");
    EXPECT_THAT(invalidInput([&] { loadTokenizer(folder.path(), "source"); }), HasSubstr("not a Heddle vocabulary"));
}

TEST(Words, NothingToLearnIsAnError) {
    EXPECT_THAT(invalidInput([] { trainTokenizer({"a b c"}, words(2)); }),
                HasSubstr("no word occurs at least 2 times in 1 lines"));
}

TEST(Tokenizer, AutoChoosesCharactersWhereATextHasNoSpaces) {
    const std::vector<std::string> chinese{"上课时学生手机响个不停，老师一怒之下把手机摔了",
                                           "商赢环球股份有限公司关于延期回复的公告"};
    EXPECT_EQ(trainTokenizer(chinese, {})->spec().kind, TokenizerKind::Characters);
    EXPECT_FALSE(hasSpaces(chinese));
    EXPECT_TRUE(hasSpaces({"上课 时 学生 手机 响 个 不停"})) << "words set apart";
    EXPECT_FALSE(hasSpaces({"ขอบคุณมากครับสำหรับความช่วยเหลือ"}));
    EXPECT_FALSE(hasSpaces({"ACGTACGTACGTACGTACGTACGTACGTACGT"}));
    EXPECT_TRUE(hasSpaces({"Donaudampfschifffahrtsgesellschaft und Kapitän"}));
    EXPECT_TRUE(hasSpaces({}));
    EXPECT_EQ(trainTokenizer({"two dogs run", "two cats run"}, {})->spec().kind, TokenizerKind::Words);
}

}  // namespace
}  // namespace heddle
