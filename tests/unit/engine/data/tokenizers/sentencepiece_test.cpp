// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/tokenizer.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using testing_support::invalidInput;
using testing_support::TempFolder;

std::vector<std::string> corpus() {
    const std::vector<std::string> subjects{"Der Hund", "Die Katze", "Ein Mädchen", "Das große Haus", "Mein Bruder"};
    const std::vector<std::string> verbs{"läuft", "schläft", "sieht", "findet", "hört", "liebt"};
    const std::vector<std::string> objects{"im Garten", "den Ball", "über die Straße", "nicht", "sehr gern Äpfel", "am Fluss"};
    std::vector<std::string> lines;
    for (const auto& subject : subjects)
        for (const auto& verb : verbs)
            for (const auto& object : objects) lines.push_back(subject + " " + verb + " " + object + ".");
    return lines;
}

TokenizerSpec pieces(PieceModel model, std::int64_t count = 50) {
    TokenizerSpec spec;
    spec.kind = TokenizerKind::SentencePiece;
    spec.model = model;
    spec.vocabSize = count;
    return spec;
}

class SentencePieceTest : public ::testing::TestWithParam<PieceModel> {};

TEST_P(SentencePieceTest, EncodesAndDecodesTheSameText) {
    const auto tokenizer = trainTokenizer(corpus(), pieces(GetParam()));
    EXPECT_EQ(tokenizer->size(), 50);
    for (const std::string& line : corpus()) EXPECT_EQ(tokenizer->decode(tokenizer->encode(line)), line);
}

TEST_P(SentencePieceTest, SpecialsHaveOurIds) {
    const auto tokenizer = trainTokenizer(corpus(), pieces(GetParam()));
    for (std::int32_t id = 0; id < kSpecials; ++id)
        EXPECT_EQ(tokenizer->token(id), kSpecialTokens.at(static_cast<std::size_t>(id)));
    for (const std::int32_t id : tokenizer->encode("<eos> <pad> Hund")) EXPECT_TRUE(id == kUnk || id >= kSpecials) << id;
    const auto ids = tokenizer->encode("Der Hund");
    std::vector<std::int32_t> framed{kSos};
    framed.insert(framed.end(), ids.begin(), ids.end());
    framed.insert(framed.end(), {kEos, kPad});
    EXPECT_EQ(tokenizer->decode(framed), "Der Hund");
    EXPECT_THAT(tokenizer->decode(tokenizer->encode("Der 日 Hund")), HasSubstr("<unk>"));
    EXPECT_THAT(invalidInput([&] { tokenizer->decode({50}); }), HasSubstr("token id 50 is out of range"));
}

TEST_P(SentencePieceTest, TrainingIsDeterministic) {
    const auto a = trainTokenizer(corpus(), pieces(GetParam())), b = trainTokenizer(corpus(), pieces(GetParam()));
    EXPECT_EQ(a->saved(), b->saved());
    EXPECT_NE(trainTokenizer(corpus(), pieces(GetParam(), 45))->hash(), a->hash());
}

TEST_P(SentencePieceTest, SaveAndLoadKeepLowerCasing) {
    const TempFolder folder;
    TokenizerSpec spec = pieces(GetParam());
    spec.lower = true;
    const auto tokenizer = trainTokenizer(corpus(), spec);
    tokenizer->save(folder.path(), "target");
    const auto loaded = loadTokenizer(folder.path(), "target");
    EXPECT_EQ(loaded->hash(), tokenizer->hash());
    EXPECT_EQ(loaded->decode(loaded->encode("DAS GROßE HAUS")), "das große haus") << "ß stays ß";
    EXPECT_EQ(loaded->encode("ÄPFEL"), loaded->encode("äpfel"));
}

INSTANTIATE_TEST_SUITE_P(Models, SentencePieceTest, ::testing::Values(PieceModel::Unigram, PieceModel::Bpe),
                         [](const auto& tested) { return wordOf(tested.param); });

TEST(SentencePiece, WhatCannotBeTrainedIsSaidInWords) {
    for (const PieceModel model : {PieceModel::Unigram, PieceModel::Bpe}) {
        EXPECT_THAT(invalidInput([&] { trainTokenizer(corpus(), pieces(model, 100'000)); }), HasSubstr("100000 pieces"))
            << wordOf(model);
        EXPECT_THAT(invalidInput([&] { trainTokenizer(corpus(), pieces(model, 10)); }), HasSubstr("10 pieces"))
            << wordOf(model);
        EXPECT_THAT(invalidInput([&] { trainTokenizer({"", ""}, pieces(model)); }), HasSubstr("cannot train")) << wordOf(model);
    }
}

TEST(SentencePiece, TrainingIsQuiet) {
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    trainTokenizer(corpus(), pieces(PieceModel::Unigram));
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(SentencePiece, DamagedModelsAreRefusedByName) {
    const TempFolder folder;
    folder.write("source.model", "this is no model");
    EXPECT_THAT(invalidInput([&] { loadTokenizer(folder.path(), "source"); }), HasSubstr("source.model"));
    const std::string model = trainTokenizer(corpus(), pieces(PieceModel::Bpe))->saved();
    folder.write("source.model", model.substr(0, model.size() / 2));
    EXPECT_THAT(invalidInput([&] { loadTokenizer(folder.path(), "source"); }), HasSubstr("source.model"));
}

}  // namespace
}  // namespace heddle
