// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/corpus_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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
    EXPECT_THAT(part.labels, IsEmpty());
    EXPECT_EQ(examplesOf(pairs(), 0, 2).size(), 2);
    EXPECT_EQ(examplesOf(pairs(), 1, 100).size(), 2);
    EXPECT_EQ(examplesOf(pairs(), 7, 1).size(), 0);
    const EncodedCorpus whole = examplesOf(pairs(), 0, 3);
    EXPECT_EQ(whole.source, pairs().source);
    EXPECT_EQ(whole.targetBegin, pairs().targetBegin);
}

TEST(CorpusPart, TakesAllWindowsOfAnExample) {
    EncodedCorpus corpus = pairs();
    corpus.exampleOf = {0, 1, 1};
    corpus.beginFrom = {1, 2, 3};
    corpus.textBegin = {0, 1, 2, 3, 4, 5};
    corpus.answers = {{"a"}, {"b", "c"}};
    corpus.sourceText = {"first", "second"};
    EXPECT_EQ(exampleCount(corpus), 2);
    const EncodedCorpus part = examplesOf(corpus, 1, 1);
    EXPECT_EQ(part.size(), 2);
    EXPECT_THAT(part.exampleOf, ElementsAre(0, 0));
    EXPECT_THAT(part.beginFrom, ElementsAre(2, 3));
    EXPECT_THAT(part.textBegin, ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(part.answers, ElementsAre(ElementsAre("b", "c")));
    EXPECT_THAT(part.sourceText, ElementsAre("second"));
    EXPECT_EQ(exampleCount(part), 1);
}

TEST(CorpusPart, TakesImagesWhole) {
    EncodedCorpus corpus = pairs();
    corpus.height = 1;
    corpus.width = 2;
    corpus.pixels = {1, 2, 3, 4, 5, 6};
    corpus.labels = {0, 1, 0};
    const EncodedCorpus part = examplesOf(corpus, 1, 2);
    EXPECT_THAT(part.pixels, ElementsAre(3, 4, 5, 6));
    EXPECT_THAT(part.labels, ElementsAre(1, 0));
}

}  // namespace
}  // namespace heddle
