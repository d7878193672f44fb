// SPDX-License-Identifier: Apache-2.0
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/data/tokenizers/tokenizer_report.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::invalidInput;
using testing_support::TempFolder;

const std::vector<std::string> kSentences{"a small red house", "a small green car", "the red car", "the house and the garden"};

TokenizerSpec ofKind(const std::string& kind) {
    TokenizerSpec spec;
    spec.kind = choiceNamed<TokenizerKind>(kind).value();
    spec.minCount = 1;
    spec.vocabSize = 24;
    return spec;
}

class MaskTest : public ::testing::TestWithParam<std::string> {};

TEST_P(MaskTest, IsIdFourWhereItIsWanted) {
    TokenizerSpec spec = ofKind(GetParam());
    const auto plain = trainTokenizer(kSentences, spec);
    EXPECT_EQ(plain->maskId(), -1);
    EXPECT_EQ(plain->specials(), 4);
    EXPECT_THAT(plain->saved(), Not(HasSubstr("mask"))) << "a vocabulary without one is what it was before there was a mask";
    spec.mask = true;
    for (const auto& masked :
         {trainTokenizer(kSentences, spec), tokenizerFromSaved(trainTokenizer(kSentences, spec)->saved(), "test")}) {
        EXPECT_EQ(masked->maskId(), kMask);
        EXPECT_EQ(masked->specials(), 5);
        EXPECT_EQ(masked->token(kMask), "<mask>");
        EXPECT_TRUE(masked->spec().mask);
        for (const std::string& line : kSentences) {
            auto ids = masked->encode(line);
            EXPECT_THAT(ids, ::testing::Each(::testing::Ge(5)));
            ids.insert(ids.begin() + 1, kMask);
            EXPECT_EQ(masked->decode(ids), line) << "specials do not show";
        }
        EXPECT_THAT(masked->encode("<mask>"), Not(::testing::Contains(kMask))) << "text only looks like it";
    }
}

TEST_P(MaskTest, CanBeAddedLater) {
    const auto plain = trainTokenizer(kSentences, ofKind(GetParam())), masked = plain->withMask();
    EXPECT_EQ(masked->size(), plain->size() + 1);
    EXPECT_EQ(masked->maskId(), kMask);
    for (const std::string& line : kSentences) {
        auto moved = plain->encode(line);
        for (auto& id : moved) ++id;
        EXPECT_EQ(masked->encode(line), moved);
    }
    EXPECT_EQ(tokenizerFromSaved(masked->saved(), "test")->hash(), masked->hash());
    EXPECT_EQ(masked->withMask()->hash(), masked->hash());
}

INSTANTIATE_TEST_SUITE_P(Kinds, MaskTest, ::testing::Values("words", "characters", "sentencepiece"));

TEST(SentencePieceMask, CountsAmongThePieces) {
    TokenizerSpec spec = ofKind("sentencepiece");
    spec.mask = spec.lower = true;
    const auto tokenizer = trainTokenizer(kSentences, spec);
    EXPECT_EQ(tokenizer->size(), 24);
    EXPECT_EQ(tokenizer->publisherId(kMask), -1) << "the model itself has none";
    EXPECT_EQ(tokenizer->publisherId(5), 4);
    EXPECT_EQ(tokenizer->encode("THE RED"), tokenizer->encode("the red"));
    EXPECT_EQ(tokenizer->withMask()->hash(), tokenizer->hash());
}

TEST(ReadTokenizer, KnowsEveryKindOfFile) {
    const TempFolder folder;
    for (const std::string kind : {"words", "characters", "wordpiece", "sentencepiece"}) {
        const auto tokenizer = trainTokenizer(kSentences, ofKind(kind));
        tokenizer->save(folder.path(), kind);
        TokenizerSpec spec = ofKind("words");  // the file decides
        spec.file = folder.file(kind + (kind == "sentencepiece" ? ".model" : ".json"));
        const auto read = trainTokenizer({}, spec);
        EXPECT_EQ(read->hash(), tokenizer->hash()) << kind;
        EXPECT_EQ(wordOf(read->spec().kind), kind);
        spec.mask = true;
        EXPECT_EQ(trainTokenizer({}, spec)->maskId(), kMask) << kind;
        spec.lower = true;
        if (kind != "sentencepiece") {
            EXPECT_THAT(invalidInput([&] { trainTokenizer({}, spec); }), HasSubstr("without lower-casing")) << kind;
        }
    }
    TokenizerSpec spec;
    spec.file = folder.file("absent.json");
    EXPECT_THAT(invalidInput([&] { trainTokenizer({}, spec); }), HasSubstr("no such file"));
    spec.file = folder.write("noise", "neither one nor the other");
    EXPECT_THAT(invalidInput([&] { trainTokenizer({}, spec); }), HasSubstr("noise"));
}

/// A length-delimited field of a protocol buffer.
std::string field(char number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

/// An entry of a SentencePiece model: text (1), score (2), type (3: 1 normal, 2 unknown, 3 control).
std::string piece(const std::string& text, float score, char type) {
    std::string number(sizeof score, '\0');
    std::memcpy(number.data(), &score, sizeof score);
    return field(1, field(1, text) + "\x15" + number + std::string{'\x18', type});
}

TEST(ReadTokenizer, RefusesAPieceWithANul) {
    const TempFolder folder;
    TokenizerSpec spec;
    spec.file =
        folder.write("nul.model", field(1, field(1, "<unk>") + std::string{'\x18', 2}) + piece(std::string("a\0b", 3), -1, 1));
    EXPECT_THAT(invalidInput([&] { trainTokenizer({}, spec); }), HasSubstr("a piece contains a NUL"));
}

TEST(ReadTokenizer, RefusesWhatIsNoRegularFile) {
    const TempFolder folder;
    ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
    EXPECT_THAT(invalidInput([&] { sha256OfFile(folder.file("fifo")); }), HasSubstr("is not a regular file"));
    EXPECT_EQ(tryReadWholeFile(folder.file("fifo")), std::nullopt);
    EXPECT_EQ(tryReadWholeFile("/dev/zero"), std::nullopt);
}

// A model as other people train it: <unk> <s> </s> first, no <pad>, a mask somewhere.
TEST(ReadTokenizer, TakesAPublishersSentencePieceModel) {
    const TempFolder folder;
    TokenizerSpec spec;
    spec.file = folder.write("theirs.model", piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("</s>", 0, 3) +
                                                 piece("\u2581red", -1, 1) + piece("[MASK]", 0, 3) + piece("\u2581", -3, 1) +
                                                 piece("car", -2, 1));
    const auto tokenizer = trainTokenizer({}, spec);
    EXPECT_EQ(tokenizer->size(), 8) << "<pad> has no piece of theirs";
    std::vector<std::int32_t> publisher;
    for (std::int32_t id = 0; id < tokenizer->size(); ++id) publisher.push_back(tokenizer->publisherId(id));
    EXPECT_THAT(publisher, ElementsAre(0, -1, 1, 2, 4, 3, 5, 6));
    EXPECT_EQ(tokenizer->token(kPad), "<pad>");
    EXPECT_EQ(tokenizer->token(kSos), "<sos>");
    EXPECT_EQ(tokenizer->maskId(), kMask) << "its mask is ours, asked for or not";
    EXPECT_THAT(tokenizer->encode("red car"), ElementsAre(5, 6, 7));
    EXPECT_EQ(tokenizer->decode({kSos, 5, 6, kMask, 7, kEos, kPad}), "red car");
    EXPECT_EQ(tokenizer->hash(), sha256Hex(testing_support::readBytes(spec.file)));
    spec.lower = true;
    const auto lowered = trainTokenizer({}, spec);
    EXPECT_THAT(lowered->encode("RED Car"), ElementsAre(5, 6, 7));
    EXPECT_THAT(tokenizerFromSaved(lowered->saved(), "test")->encode("RED Car"), ElementsAre(5, 6, 7));
}

TEST(TokenizerReport, CountsTokensUnknownOnesAndUsedEntries) {
    const auto tokenizer = trainTokenizer({"a a b c"}, ofKind("words"));
    TokenCounter counter(*tokenizer, "valid");
    for (const char* line : {"a x b", "", "a"}) counter.add(tokenizer->encode(line));
    TokenizerReport report = reportOf(*tokenizer, "source");
    report.texts.push_back(counter.counts());
    EXPECT_EQ(
        report.line(),
        "source vocabulary: words, 7 entries; valid: 4 tokens in 3 lines, 75.00 % known, 25.00 % unknown, entries used: 2");
    EXPECT_EQ(reportFromJson(report.json()).json(), report.json());
    EXPECT_EQ(report.json()["texts"][0]["coverage"], 0.75);
    EXPECT_EQ(TokenCounter(*tokenizer, "nothing").counts().unknownRate(), 0);
}

}  // namespace
}  // namespace heddle
