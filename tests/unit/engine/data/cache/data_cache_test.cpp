// SPDX-License-Identifier: Apache-2.0
#include "engine/data/cache/data_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::Key;

/// A corpus with these labels, stored and read again.
template <class Labels>
Labels throughCache(const Labels& labels) {
    EncodedCorpus corpus;
    corpus.source = {5, 6, 7};
    corpus.sourceBegin = {0, 2, 3};
    corpus.labels = labels;
    CacheSections sections;
    putCorpus(sections, "train", corpus);
    const EncodedCorpus taken = takeCorpus(sections, "train");
    EXPECT_EQ(taken.source, corpus.source);
    EXPECT_EQ(taken.sourceBegin, corpus.sourceBegin);
    return taken.labelsAs<Labels>();
}

TEST(CachedCorpus, HasTheLabelsOfItsTask) {
    EXPECT_THAT(throughCache(ClassLabels{{1, 0}}).classes, ElementsAre(1, 0));
    EXPECT_THAT(throughCache(NumberLabels{{0.5F, 2}}).numbers, ElementsAre(0.5F, 2));
    EXPECT_THAT(throughCache(TagLabels{{1, -1, 0}, {}}).classes, ElementsAre(1, -1, 0));
    const auto spans = throughCache(SpanLabels{{0, 1}, {1, 0}, {2, 0}, {3, 4}, {5, 6}, {7, 8, 9}, {8, 9, 10}, {}});
    EXPECT_THAT(spans.exampleOf, ElementsAre(0, 1));
    EXPECT_THAT(spans.first, ElementsAre(1, 0));
    EXPECT_THAT(spans.last, ElementsAre(2, 0));
    EXPECT_THAT(spans.beginFrom, ElementsAre(3, 4));
    EXPECT_THAT(spans.beginTo, ElementsAre(5, 6));
    EXPECT_THAT(spans.textBegin, ElementsAre(7, 8, 9));
    EXPECT_THAT(spans.textEnd, ElementsAre(8, 9, 10));
}

TEST(CachedCorpus, HasNoLabelsWhereItsTokensAreTheLabels) {
    EncodedCorpus pairs;
    pairs.source = {5};
    pairs.target = {6};
    pairs.sourceBegin = pairs.targetBegin = {0, 1};
    CacheSections sections;
    putCorpus(sections, "valid", pairs);
    EXPECT_THAT(sections,
                ElementsAre(Key("valid.source"), Key("valid.source_begin"), Key("valid.target"), Key("valid.target_begin")));
    EXPECT_EQ(takeCorpus(sections, "valid").labels.index(), 0U);
    EXPECT_EQ(takeCorpus(sections, "valid").target, pairs.target);
}

}  // namespace
}  // namespace heddle
