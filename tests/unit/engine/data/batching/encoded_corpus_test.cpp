// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/encoded_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;

EncodedCorpus pairs() {
    EncodedCorpus corpus;
    corpus.source = {10, 11, 20, 30, 31, 32};
    corpus.sourceBegin = {0, 2, 3, 6};
    corpus.target = {50, 60, 61, 70};
    corpus.targetBegin = {0, 1, 3, 4};
    corpus.sourceText = {"one", "two", "three"};
    corpus.targetText = {"eins", "zwei", "drei"};
    return corpus;
}

TEST(CorpusPart, KeepsTheColumnsOfItsExamples) {
    const EncodedCorpus part = examplesOf(pairs(), 1, 1);
    EXPECT_EQ(part.size(), 1);
    EXPECT_THAT(part.source, ElementsAre(20));
    EXPECT_THAT(part.target, ElementsAre(60, 61));
    EXPECT_THAT(part.sourceBegin, ElementsAre(0, 1));
    EXPECT_THAT(part.targetBegin, ElementsAre(0, 2));
    EXPECT_THAT(part.sourceText, ElementsAre("two"));
    EXPECT_EQ(part.labels.index(), 0U);
    EXPECT_EQ(examplesOf(pairs(), 0, 2).size(), 2);
    EXPECT_EQ(examplesOf(pairs(), 1, 100).size(), 2);
    EXPECT_EQ(examplesOf(pairs(), 7, 1).size(), 0);
    const EncodedCorpus whole = examplesOf(pairs(), 0, 3);
    EXPECT_EQ(whole.source, pairs().source);
    EXPECT_EQ(whole.targetBegin, pairs().targetBegin);
}

TEST(CorpusPart, TakesAllWindowsOfAnExample) {
    EncodedCorpus corpus = pairs();
    auto& labels = corpus.labelsAs<SpanLabels>();
    labels.exampleOf = {0, 1, 1};
    labels.first = {4, 5, 6};
    labels.last = {7, 8, 9};
    labels.beginFrom = {1, 2, 3};
    labels.beginTo = {2, 3, 4};
    labels.textBegin = {0, 1, 2, 3, 4, 5};
    labels.textEnd = {1, 2, 3, 4, 5, 6};
    labels.answers = {{"a"}, {"b", "c"}};
    corpus.sourceText = {"first", "second"};
    EXPECT_EQ(exampleCount(corpus), 2);
    const EncodedCorpus part = examplesOf(corpus, 1, 1);
    EXPECT_EQ(part.size(), 2);
    const auto& own = part.labelsAs<SpanLabels>();
    EXPECT_THAT(own.exampleOf, ElementsAre(0, 0));
    EXPECT_THAT(own.first, ElementsAre(5, 6));
    EXPECT_THAT(own.last, ElementsAre(8, 9));
    EXPECT_THAT(own.beginFrom, ElementsAre(2, 3));
    EXPECT_THAT(own.beginTo, ElementsAre(3, 4));
    EXPECT_THAT(own.textBegin, ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(own.textEnd, ElementsAre(3, 4, 5, 6));
    EXPECT_THAT(own.answers, ElementsAre(ElementsAre("b", "c")));
    EXPECT_THAT(part.sourceText, ElementsAre("second"));
    EXPECT_EQ(exampleCount(part), 1);
}

TEST(CorpusPart, TakesImagesWhole) {
    EncodedCorpus corpus = pairs();
    corpus.images = {{1, 2, 3, 4, 5, 6}, 1, 2};
    corpus.labelsAs<ClassLabels>().classes = {0, 1, 0};
    const EncodedCorpus part = examplesOf(corpus, 1, 2);
    EXPECT_THAT(part.images.pixels, ElementsAre(3, 4, 5, 6));
    EXPECT_THAT(part.labelsAs<ClassLabels>().classes, ElementsAre(1, 0));
}

TEST(CorpusPart, TakesTheLabelsOfItsExamples) {
    EncodedCorpus corpus = pairs();
    corpus.labelsAs<NumberLabels>().numbers = {1, 2, 3};
    EXPECT_THAT(examplesOf(corpus, 1, 2).labelsAs<NumberLabels>().numbers, ElementsAre(2, 3));
    corpus.labels = TagLabels{{-1, 0, -1, -1, 1, -1}, {{"X"}, {}, {"Y"}}};
    const EncodedCorpus part = examplesOf(corpus, 2, 1);
    EXPECT_THAT(part.labelsAs<TagLabels>().classes, ElementsAre(-1, 1, -1));
    EXPECT_THAT(part.labelsAs<TagLabels>().tags, ElementsAre(ElementsAre("Y")));
}

}  // namespace
}  // namespace heddle
