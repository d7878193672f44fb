// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/chrf.h"
#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using Strings = std::vector<std::string>;

double chrf(const Strings& hypotheses, const Strings& references, const ChrfOptions& options = {}) {
    return corpusChrf(hypotheses, references, options).value.value;
}

// "abc" against "abd": characters a, b of three each; ab of two each; no 3-gram. P = R = (2/3 + 1/2 + 0) / 3 = 7/18.
TEST(Chrf, MeansPrecisionsAndRecallsOverTheOrdersThatBothSidesHave) {
    const ChrfScore score = corpusChrf({"abc"}, {"abd"}, {});
    EXPECT_NEAR(score.value.value, 100 * 7.0 / 18, 1e-12);
    EXPECT_THAT(score.statistics[0], ElementsAre(3, 3, 2));
    EXPECT_THAT(score.statistics[1], ElementsAre(2, 2, 1));
    EXPECT_THAT(score.statistics[2], ElementsAre(1, 1, 0));
    EXPECT_THAT(score.statistics[3], ElementsAre(0, 0, 0));
}

// What a reference is too short to have counts for nothing, rather than against the precision.
TEST(Chrf, NgramsWithoutACounterpartInTheirSentenceDoNotCount) {
    const ChrfScore score = corpusChrf({"ab", "cd"}, {"ab", "c"}, {});
    EXPECT_THAT(score.statistics[0], ElementsAre(4, 3, 3));
    EXPECT_THAT(score.statistics[1], ElementsAre(1, 1, 1));
}

// "ab" against "a", characters alone: P = 1/2, R = 1; F2 = 5 · ½ / (4 · ½ + 1).
TEST(Chrf, RecallWeighsTwice) {
    const ChrfOptions one{1, 0, false, false};
    EXPECT_NEAR(chrf({"ab"}, {"a"}, one), 100 * 2.5 / 3, 1e-12);
    EXPECT_NEAR(chrf({"a"}, {"ab"}, one), 100 * 2.5 / 4.5, 1e-12);
}

TEST(Chrf, BoundsAndWhatIsIgnored) {
    const Strings text{"The quick brown fox, he jumps.", "Über 3.5 Hunde 🙂!"};
    for (const int words : {0, 2}) EXPECT_NEAR(chrf(text, text, {6, words, false, false}), 100, 1e-9);
    EXPECT_EQ(chrf({""}, {"abc"}), 0);
    EXPECT_EQ(chrf({"abc"}, {"xyz"}), 0);
    EXPECT_NEAR(chrf({"a b\u00A0c"}, {"abc"}), 100, 1e-9) << "white space does not count";
    EXPECT_LT(chrf({"a b c"}, {"abc"}, {6, 0, false, true}), 50) << "unless asked for";
    EXPECT_EQ(chrf({"ABC"}, {"abc"}), 0);
    EXPECT_NEAR(chrf({"ÄBC"}, {"äbc"}, {6, 0, true, false}), 100, 1e-9);
}

// Word n-grams see order, character n-grams within words do not; punctuation at a word's end is a word of its own.
TEST(Chrf, WordOrderTwoIsChrfPlusPlus) {
    const ChrfScore score = corpusChrf({"(hi) there."}, {"(hi) there!"}, {6, 2, false, false});
    EXPECT_EQ(score.value.name, "chrf++");
    EXPECT_THAT(score.statistics[6], ElementsAre(4, 4, 3)) << "(hi + ) + there + . or !";
    EXPECT_THAT(score.statistics[7], ElementsAre(3, 3, 2));
    EXPECT_THAT(corpusChrf({"\"hi a ."}, {"hi"}, {6, 1, false, false}).statistics[6], ElementsAre(4, 1, 1))
        << "a mark at the front is cut off where there is none at the end; single characters stay";
}

TEST(Chrf, OrderOfSentencesDoesNotMatterButTheirPairingDoes) {
    const Strings hypotheses{"one two", "three", "four five six"}, references{"one too", "tree", "for five sticks"};
    const double score = chrf(hypotheses, references);
    EXPECT_DOUBLE_EQ(chrf({hypotheses[2], hypotheses[0], hypotheses[1]}, {references[2], references[0], references[1]}), score);
    EXPECT_LT(chrf({hypotheses[1], hypotheses[0], hypotheses[2]}, references), score);
}

TEST(Chrf, SignatureAndCount) {
    const MetricValue value = corpusChrf({"a", "b"}, {"a", "c"}, {6, 2, true, false}).value;
    EXPECT_EQ(value.signature, "nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(value.n, 2);
    EXPECT_EQ(corpusChrf({"a"}, {"a"}, {}).value.name, "chrf");
}

TEST(Chrf, RefusesWhatCannotBeScored) {
    EXPECT_THROW(corpusChrf({"a"}, {"a", "b"}, {}), Error);
    EXPECT_THROW(corpusChrf({}, {}, {}), Error);
    EXPECT_THROW(corpusChrf({"a"}, {"a"}, {0, 0, false, false}), Error);
    EXPECT_THROW(corpusChrf({"a"}, {"a"}, {6, -1, false, false}), Error);
}

}  // namespace
}  // namespace heddle
