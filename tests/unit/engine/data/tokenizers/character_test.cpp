// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::invalidInput;
using testing_support::TempFolder;

TokenizerSpec characters(std::int64_t minCount = 1) {
    TokenizerSpec spec;
    spec.kind = TokenizerKind::Characters;
    spec.minCount = minCount;
    return spec;
}

TEST(Characters, OneTokenACodePointByFallingCountThenBytes) {
    const auto tokenizer = trainTokenizer({"江疏影", "江江疏🙂"}, characters());
    EXPECT_EQ(tokenizer->size(), 8);
    EXPECT_THAT(tokenizer->tokens("影江🙂日"), ElementsAre("影", "江", "🙂", "<unk>"));
    EXPECT_THAT(tokenizer->encode("江疏影🙂"), ElementsAre(4, 5, 6, 7));
    EXPECT_EQ(tokenizer->decode({kSos, 4, kUnk, 5, kEos, kPad}), "江<unk>疏");
    EXPECT_THAT(invalidInput([&] { tokenizer->decode({8}); }), HasSubstr("token id 8 is out of range"));
}

TEST(Characters, WhiteSpaceIsOneTokenExceptInChineseAndAtTheEnds) {
    const auto tokenizer = trainTokenizer({"ab 日本、 A！"}, characters());
    EXPECT_THAT(tokenizer->tokens("  a \t b\u00A0"), ElementsAre("a", " ", "b"));
    EXPECT_THAT(tokenizer->tokens("日 \u3000本 、 日！ 本"), ElementsAre("日", "本", "、", "日", "！", "本"));
    EXPECT_THAT(tokenizer->tokens("日 a 本"), ElementsAre("日", " ", "a", " ", "本")) << "only between two such characters";
    EXPECT_TRUE(tokenizer->encode("  \t ").empty());
}

TEST(Characters, DecodingGivesTheTextBack) {
    const std::vector<std::string> lines{"上课时学生手机响个不停，老师一怒之下把手机摔了", "S7 KPL 秋季赛：QG vs AG超玩会！",
                                         "Größe «ça» — naïve 🙂👍🏽 ok", "x", ""};
    const auto tokenizer = trainTokenizer(lines, characters());
    for (const std::string& line : lines) EXPECT_EQ(tokenizer->decode(tokenizer->encode(line)), line);
}

TEST(Characters, RareOnesAreUnknownAndCaseIsFolded) {
    TokenizerSpec spec = characters(2);
    spec.lower = true;
    const auto tokenizer = trainTokenizer({"ÄäbB", "c"}, spec);
    EXPECT_THAT(tokenizer->tokens("ÄBC"), ElementsAre("ä", "b", "<unk>"));
    EXPECT_THAT(invalidInput([&] { trainTokenizer({"ab"}, spec); }),
                HasSubstr("no character occurs at least 2 times in 1 lines"));
}

TEST(Characters, SavedFormIsTheSameTokenizer) {
    const TempFolder folder;
    for (const bool mask : {false, true}) {
        TokenizerSpec spec = characters();
        spec.lower = true;
        spec.mask = mask;
        const auto tokenizer = trainTokenizer({"a b 日\"\\"}, spec);
        tokenizer->save(folder.path(), "source");
        const auto loaded = loadTokenizer(folder.path(), "source");
        EXPECT_EQ(loaded->hash(), tokenizer->hash());
        EXPECT_EQ(loaded->encode("A 日\"\\"), tokenizer->encode("A 日\"\\"));
        EXPECT_EQ(loaded->maskId(), mask ? kMask : -1);
        EXPECT_EQ(loaded->spec().kind, TokenizerKind::Characters);
    }
    folder.write("source.json", R"({"schema":"heddle.characters/1","lower":true})");
    EXPECT_THAT(invalidInput([&] { loadTokenizer(folder.path(), "source"); }), HasSubstr("not a Heddle vocabulary"));
}

TEST(Characters, RealTitlesComeBack) {
    const std::string folder = testing_support::realData("clue_tnews");
    if (folder.empty()) GTEST_SKIP() << "CLUE TNEWS is not here (HEDDLE_DATA)";
    std::ifstream stream(folder + "/dev.json");
    std::vector<std::string> titles;
    for (std::string line; std::getline(stream, line);) titles.push_back(Json::parse(line).at("sentence"));
    ASSERT_GT(titles.size(), 1000U);
    const auto tokenizer = trainTokenizer(titles, characters());
    std::int64_t same = 0;
    for (const std::string& title : titles) {
        const auto ids = tokenizer->encode(title);
        const std::string text = tokenizer->decode(ids);
        same += text == title ? 1 : 0;
        EXPECT_EQ(tokenizer->encode(text), ids) << title;
    }
    EXPECT_GT(same, static_cast<std::int64_t>(titles.size() * 9 / 10)) << "all but those with spaces in Chinese text";
}

}  // namespace
}  // namespace heddle
