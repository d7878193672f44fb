// SPDX-License-Identifier: Apache-2.0
// What batches of running text ask for: the next word, or words that were hidden.
#include "engine/data/batching/row_batches.h"
#include "engine/data/tokenizers/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace heddle {
namespace {

using ::testing::ElementsAre;

EncodedCorpus corpusOf(const std::vector<std::vector<std::int32_t>>& rows) {
    EncodedCorpus corpus;
    for (const auto& row : rows) {
        corpus.source.insert(corpus.source.end(), row.begin(), row.end());
        corpus.sourceBegin.push_back(static_cast<std::int64_t>(corpus.source.size()));
    }
    return corpus;
}

constexpr std::int32_t kFirstWord = kMask + 1;
constexpr std::int64_t kWords = 105;

/// <sos>, 20,000 words in turn, <eos>.
EncodedCorpus longRow() {
    std::vector<std::int32_t> row{kSos};
    for (int i = 0; i < 20'000; ++i) row.push_back(kFirstWord + i % 100);
    row.push_back(kEos);
    return corpusOf({row});
}

Corruption maskedWords() {
    Corruption how;
    how.spec.rate = 0.15;
    how.maskId = kMask;
    how.words = kWords;
    how.firstWord = kFirstWord;
    return how;
}

TEST(CausalBatch, AsksForTheWordAfterEachOne) {
    const Batch batch = makeCausalBatch(corpusOf({{kSos, 10, 11, kEos}, {kSos, 12, kEos}}), {0, 1});
    EXPECT_EQ(batch.targetWidth, 3);
    EXPECT_THAT(batch.targetIn, ElementsAre(kSos, 10, 11, kSos, 12, kPad));
    EXPECT_THAT(batch.positions, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(batch.labels, ElementsAre(10, 11, kEos, 12, kEos));
    EXPECT_EQ(batch.labelCount, 5);
}

TEST(CausalBatch, DocumentsThatAreApartBeginWithTheMark) {
    const EncodedCorpus corpus = corpusOf({{kSos, 10, kEos, 11, 12, kEos, kEos}, {kEos, 13}});
    const Batch joined = makeCausalBatch(corpus, {0, 1}), apart = makeCausalBatch(corpus, {0, 1}, Documents::Apart);
    EXPECT_THAT(joined.targetIn, ElementsAre(kSos, 10, kEos, 11, 12, kEos, kEos, kPad, kPad, kPad, kPad, kPad));
    EXPECT_THAT(apart.targetIn, ElementsAre(kSos, 10, kSos, 11, 12, kSos, kSos, kPad, kPad, kPad, kPad, kPad));
    EXPECT_THAT(apart.documents, ElementsAre(0, 0, 1, 1, 1, 2, 0, -1, -1, -1, -1, -1));
    EXPECT_TRUE(joined.documents.empty());
    EXPECT_EQ(apart.labels, joined.labels) << "every token is predicted, none from another document";
    EXPECT_EQ(apart.positions, joined.positions);
}

TEST(CorruptBatch, NumbersDocumentsBeforeTheyAreDamaged) {
    Corruption how = maskedWords();
    how.documents = Documents::Apart;
    how.spec.rate = 1;
    how.spec.specials = how.everyPosition = true;  // denoise replaces marks, too
    const EncodedCorpus corpus = corpusOf({{kSos, 10, kEos, kSos, 11, kEos}, {kSos, 12, kEos}});
    const Batch batch = makeCorruptBatch(corpus, {0, 1}, 0, how);
    EXPECT_THAT(batch.documents, ElementsAre(0, 0, 0, 1, 1, 1, 0, 0, 0, -1, -1, -1));
    const Batch wider = roundedUp(batch, 8, 16);
    ASSERT_EQ(wider.documents.size(), wider.source.size());
    EXPECT_EQ(wider.documents[5], 1);
    EXPECT_EQ(wider.documents[6], kNoDocument);
}

TEST(RowBatch, TypesBeginAnewWhereTheSecondTextDoes) {
    EncodedCorpus corpus = corpusOf({{10, 11, 12, 13}, {14, 15}});
    corpus.secondAt = {2, 1};
    const Batch batch = makeRowBatch(corpus, {1, 0});
    EXPECT_THAT(batch.source, ElementsAre(14, 15, kPad, kPad, 10, 11, 12, 13));
    EXPECT_THAT(batch.types, ElementsAre(0, 1, 0, 0, 0, 0, 1, 1));
}

TEST(TagBatch, PiecesWithinAWordAreNotAsked) {
    EncodedCorpus corpus = corpusOf({{10, 11, 12}, {13, 14}});
    corpus.labelsAs<TagLabels>().classes = {1, -1, 0, -1, 2};  // −1: the rest of a word
    const Batch batch = makeTagBatch(corpus, {1, 0});
    EXPECT_THAT(batch.positions, ElementsAre(1, 3, 5));
    EXPECT_THAT(batch.labels, ElementsAre(2, 1, 0));
}

TEST(SpanBatch, AsksWhereAnswersBeginThenWhereTheyEnd) {
    EncodedCorpus corpus = corpusOf({{10, 11, 12}, {13, 14, 15}});
    auto& labels = corpus.labelsAs<SpanLabels>();
    labels.first = {1, 0};
    labels.last = {2, 1};
    const Batch batch = makeSpanBatch(corpus, {0, 1});
    EXPECT_THAT(batch.labels, ElementsAre(1, 0, 2, 1));
    EXPECT_EQ(batch.labelCount, 4);
}

TEST(ImageBatch, PatchesAreRowsOfTheirSquares) {
    EncodedCorpus corpus;
    corpus.images = {{}, 2, 4};
    const std::vector<std::uint8_t> image{0, 51, 102, 153, 204, 255, 0, 51};
    addImage(corpus, image.data(), 2, 7);
    const Batch batch = makeImageBatch(corpus, {0}, 2);
    EXPECT_EQ(batch.sourceWidth, 2);
    EXPECT_THAT(batch.patches, ElementsAre(0.F, 0.2F, 0.8F, 1.F, 0.4F, 0.6F, 0.F, 0.2F)) << "left square, then right one";
    EXPECT_THAT(batch.labels, ElementsAre(7));
}

TEST(CorruptBatch, MasksAsManyWordsAsTold) {
    const EncodedCorpus corpus = longRow();
    const Batch batch = makeCorruptBatch(corpus, {0}, 0, maskedWords());
    const auto chosen = static_cast<double>(batch.positions.size());
    EXPECT_NEAR(chosen / 20'000, 0.15, 0.01);
    double masked = 0, other = 0;
    std::vector<std::int64_t> restored = batch.source;
    for (std::size_t i = 0; i < batch.positions.size(); ++i) {
        const auto position = static_cast<std::size_t>(batch.positions[i]);
        const std::int64_t now = batch.source[position];
        masked += now == kMask ? 1 : 0;
        other += now != kMask && now != batch.labels[i] ? 1 : 0;
        EXPECT_GE(now, kMask);
        EXPECT_LT(now, kWords);
        restored[position] = batch.labels[i];
    }
    EXPECT_NEAR(masked / chosen, 0.8, 0.03);
    EXPECT_NEAR(other / chosen, 0.1, 0.03) << "a random word; now and then it is the same";
    EXPECT_EQ(restored, std::vector<std::int64_t>(corpus.source.begin(), corpus.source.end())) << "the others are as they were";
    EXPECT_EQ(batch.source.front(), kSos);
    EXPECT_EQ(batch.source.back(), kEos);
}

TEST(CorruptBatch, DrawsAnewInEveryEpoch) {
    const EncodedCorpus corpus = longRow();
    const Batch first = makeCorruptBatch(corpus, {0}, 0, maskedWords());
    EXPECT_EQ(makeCorruptBatch(corpus, {0}, 0, maskedWords()).source, first.source);
    EXPECT_NE(makeCorruptBatch(corpus, {0}, 1, maskedWords()).positions, first.positions);
    Corruption seeded = maskedWords();
    seeded.seed = 2;
    EXPECT_NE(makeCorruptBatch(corpus, {0}, 0, seeded).positions, first.positions);
}

TEST(CorruptBatch, EveryRowAsksForOneWordAtLeast) {
    Corruption rarely = maskedWords();
    rarely.spec.rate = 0;
    const Batch batch = makeCorruptBatch(corpusOf({{kSos, 7, 8, 9, kEos}, {kSos, 6, kEos}}), {0, 1}, 3, rarely);
    ASSERT_EQ(batch.positions.size(), 2U);
    EXPECT_THAT(batch.positions[0], ::testing::AllOf(::testing::Ge(1), ::testing::Le(3)));
    EXPECT_EQ(batch.positions[1], batch.sourceWidth + 1);
    EXPECT_EQ(batch.labels[1], 6);
}

TEST(CorruptBatch, DenoisingAsksForEveryWordAndReplacesSome) {
    Corruption how = maskedWords();
    how.everyPosition = true;
    how.spec.excludeSelf = true;
    const EncodedCorpus corpus = longRow();
    const Batch batch = makeCorruptBatch(corpus, {0}, 0, how);
    ASSERT_EQ(batch.labels.size(), 20'000U);
    double changed = 0;
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        EXPECT_EQ(batch.labels[i], corpus.source[i + 1]);
        changed += batch.source[static_cast<std::size_t>(batch.positions[i])] != batch.labels[i] ? 1 : 0;
    }
    EXPECT_NEAR(changed / 20'000, 0.15, 0.01) << "all that are chosen: the word itself is not drawn";
}

}  // namespace
}  // namespace heddle
