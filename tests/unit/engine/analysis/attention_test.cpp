// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/attention.h"
#include "engine/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heddle {
namespace {

using Values = std::vector<float>;

constexpr float kInfinite = std::numeric_limits<float>::infinity();

Values evenlySpread(std::int64_t length) {
    return Values(static_cast<std::size_t>(length * length), 1.0F / static_cast<float>(length));
}

TEST(AttentionDistance, ByHand) {
    // Head 0 looks at itself; head 1: half at itself, half two to the right, then one to the left, then three quarters at 0.
    const Values w{1, 0, 0, 0, 1, 0, 0, 0, 1, /**/ .5F, 0, .5F, 1, 0, 0, .75F, 0, .25F};
    const auto distances = attentionDistance({2, 3, 3, w});
    ASSERT_EQ(distances.size(), 2U);
    EXPECT_EQ(distances[0].mean, 0);
    EXPECT_DOUBLE_EQ(distances[1].mean, (1 + 1 + 1.5) / 3);
    EXPECT_EQ(distances[1].n, 3);
}

// Evenly spread weights over L places lie (L² − 1) / (3 L) away on average.
TEST(AttentionDistance, OfEvenlySpreadWeights) {
    const Values w = evenlySpread(8);
    EXPECT_NEAR(attentionDistance({1, 8, 8, w})[0].mean, 63.0 / 24, 1e-6);
}

TEST(AttentionDistance, LeavesRowsWithoutWeightOutAndScalesTheOthers) {
    const Values w{0, 2, 0, 0};
    const auto distance = attentionDistance({1, 2, 2, w})[0];
    EXPECT_EQ(distance.mean, 1);
    EXPECT_EQ(distance.n, 1);
    const Values nothing(4, 0);
    EXPECT_TRUE(std::isnan(attentionDistance({1, 2, 2, nothing})[0].mean));
    EXPECT_EQ(attentionDistance({1, 2, 2, nothing})[0].n, 0);
}

TEST(AttentionDistance, IsZeroForLengthOne) {
    const Values w{1};
    EXPECT_EQ(attentionDistance({1, 1, 1, w})[0].mean, 0);
}

TEST(AttentionEntropy, IsInBitsAndScalesRows) {
    const Values w{2, 2, 2, 2, /**/ 0, 0, 0, 0, /**/ 0, 3, 0, 0, /**/ 1, 1, 0, 0};  // four queries, one without weight
    const auto entropy = attentionEntropy({1, 4, 4, w})[0];
    EXPECT_DOUBLE_EQ(entropy.mean, (2 + 0 + 1) / 3.0);
    EXPECT_EQ(entropy.n, 3);
    const Values negative{-1, 2};
    EXPECT_THROW(attentionEntropy({1, 1, 2, negative}), Error);
}

TEST(AttentionSink, IsTheShareOfTheFirstKeyWithoutTheFirstQuery) {
    const Values w{1, 0, 0, /**/ 1, 3, 0, /**/ 0, 0, 0, /**/ 2, 1, 1};
    const auto sink = attentionSink({1, 4, 3, w})[0];
    EXPECT_DOUBLE_EQ(sink.mean, (0.25 + 0.5) / 2);
    EXPECT_EQ(sink.n, 2) << "a row without weight is skipped";
    EXPECT_TRUE(std::isnan(attentionSink({1, 1, 1, Values{1}})[0].mean));
    const Values negative{1, 0, -1, 2};
    EXPECT_THROW(attentionSink({1, 2, 2, negative}), Error);
}

TEST(AttentionDistance, RefusesWhatAreNoWeights) {
    const Values negative{-1, 2}, infinite{kInfinite, 0}, three{1, 0, 0};
    EXPECT_THROW(attentionDistance({1, 1, 2, negative}), Error);
    EXPECT_THROW(attentionDistance({1, 1, 2, infinite}), Error);
    EXPECT_THROW(attentionDistance({1, 1, 2, three}), Error);
    EXPECT_THROW(attentionDistance({0, 1, 2, {}}), Error);
}

TEST(ScoreCosine, ByHandSymmetricAndBounded) {
    const Values s{1, 0, 0, 0, /**/ 3, 4, 0, 0, /**/ -2, 0, 0, 0};
    const HeadPairs pairs = scoreCosine({3, 2, 2, s}, {});
    EXPECT_EQ(pairs.n, 4);
    EXPECT_DOUBLE_EQ(pairs.at(0, 1), 0.6);
    EXPECT_DOUBLE_EQ(pairs.at(0, 2), -1);
    for (std::int64_t a = 0; a < 3; ++a) {
        EXPECT_DOUBLE_EQ(pairs.at(a, a), 1);
        for (std::int64_t b = 0; b < 3; ++b) EXPECT_DOUBLE_EQ(pairs.at(a, b), pairs.at(b, a));
    }
    EXPECT_DOUBLE_EQ(meanOfDifferentHeads(pairs).mean, (0.6 - 1 - 0.6) / 3);
    EXPECT_EQ(meanOfDifferentHeads(pairs).n, 3);
}

TEST(ScoreCosine, CentringTakesOffWhatSoftmaxDoesNotSee) {
    const Values s{1, 2, 3, 5, /**/ 101, 102, -47, -45, /**/ 0, 0, 0, 0};
    EXPECT_NEAR(scoreCosine({3, 2, 2, s}, {ScoreCentring::Rows, {}}).at(0, 1), 1, 1e-12);
    EXPECT_LT(scoreCosine({3, 2, 2, s}, {}).at(0, 1), 0.5);
    EXPECT_TRUE(std::isnan(scoreCosine({3, 2, 2, s}, {}).at(0, 2)));
}

TEST(ScoreCosine, ComparesHeadsOnThePlacesOfAll) {
    const Values s{1, kInfinite, 1, 2, /**/ 1, 1, 1, -2, /**/ 1, 5, -kInfinite, 2};
    const HeadPairs pairs = scoreCosine({3, 2, 2, s}, {});
    EXPECT_EQ(pairs.n, 2) << "the corners";
    EXPECT_DOUBLE_EQ(pairs.at(0, 2), 1);
    EXPECT_DOUBLE_EQ(pairs.at(1, 2), (1 - 4) / 5.0);
    EXPECT_THROW(scoreCosine({2, 2, 2, s}, {}), Error) << "values of another shape";
    const std::vector<std::uint8_t> keep{1, 0, 0, 0};
    EXPECT_EQ(scoreCosine({3, 2, 2, s}, {ScoreCentring::None, keep}).n, 1);
}

// One row against the other: (1, 0) and (½, ½). m = (¾, ¼): ½ (log2 4/3) + ½ (½ log2 2/3 + ½ log2 2).
TEST(WeightDivergence, ByHandSymmetricAndBounded) {
    const Values w{1, 0, /**/ .5F, .5F, /**/ 0, 1};
    const HeadPairs pairs = weightDivergence({3, 1, 2, w});
    const double expected = 0.5 * std::log2(4.0 / 3) + 0.25 * std::log2(2.0 / 3) + 0.25;
    EXPECT_NEAR(pairs.at(0, 1), expected, 1e-12);
    EXPECT_NEAR(pairs.at(1, 0), expected, 1e-12);
    EXPECT_NEAR(pairs.at(0, 2), 1, 1e-12) << "never on the same key";
    for (std::int64_t a = 0; a < 3; ++a) EXPECT_EQ(pairs.at(a, a), 0);
    EXPECT_EQ(pairs.n, 1);
}

TEST(WeightDivergence, MeansQueriesThatHaveWeight) {
    const Values both{1, 0, 1, 0, 0, 0, /**/ 0, 3, 1, 0, 1, 0};
    const HeadPairs pairs = weightDivergence({2, 3, 2, both});
    EXPECT_NEAR(pairs.at(0, 1), 0.5, 1e-12) << "1 and 0; the third query has none in the first head";
    EXPECT_EQ(pairs.n, 2);
    const Values nothing{1, 0, 1, 0, 0, 0, /**/ 0, 0, 0, 0, 0, 0}, negative{1, 0, 1, 0, 0, 0, /**/ 1, -1, 1, 0, 1, 0};
    EXPECT_TRUE(std::isnan(weightDivergence({2, 3, 2, nothing}).at(0, 1)));
    EXPECT_THROW(weightDivergence({2, 3, 2, negative}), Error);
}

TEST(CountedMeans, JoinByTheirCounts) {
    const std::vector<CountedMean> means{{2, 3}, {6, 1}, {std::nan(""), 0}};
    EXPECT_DOUBLE_EQ(joined(means).mean, 3);
    EXPECT_EQ(joined(means).n, 4);
    EXPECT_TRUE(std::isnan(joined({}).mean));
}

TEST(HeadEntropy, IsInBitsAQueryAndKnowsTheLargestPossible) {
    const Values w{.25F, .25F, .25F, .25F, .5F, .5F, 0, 0, /**/ .75F, .25F, .25F, .25F, .5F, .5F, 0, 0};
    const HeadMaps maps{2, 2, 4, w};
    EXPECT_DOUBLE_EQ(headEntropy(maps, 0).bits, 1.5) << "2 bits and 1 bit";
    EXPECT_DOUBLE_EQ(headEntropy(maps, 0).most, 2);
    EXPECT_TRUE(std::isnan(headEntropy(maps, 1).bits)) << "weights that do not add up to 1 are no shares";
    EXPECT_TRUE(std::isnan(headEntropy({}, 0).bits));
}

TEST(HeadEntropy, KeysBehindACausalMaskCannotBeSeen) {
    const Values w{1, 0, .5F, .5F, /**/ .9F, .1F, .2F, .8F};
    const HeadMaps maps{2, 2, 2, w};
    EXPECT_TRUE(isCausal(maps, 0));
    EXPECT_FALSE(isCausal(maps, 1));
    EXPECT_DOUBLE_EQ(headEntropy(maps, 0).most, 0.5) << "one key, and two";
    EXPECT_DOUBLE_EQ(headEntropy(maps, 1).most, 1);
    const Values one{1};
    EXPECT_FALSE(isCausal({1, 1, 1, one}, 0));
}

TEST(HeadDifference, SaysWhereTwoModelsDifferMost) {
    const Values a{.5F, .5F, .2F, .8F}, b{.4F, .6F, .6F, .4F};
    const auto found = headDifference({1, 2, 2, a}, {1, 2, 2, b}, 0);
    ASSERT_TRUE(found);
    EXPECT_FLOAT_EQ(found->values[2], -.4F);
    EXPECT_FLOAT_EQ(float(found->meanAbsolute), .25F);
    EXPECT_FLOAT_EQ(float(found->largest), -.4F);
    EXPECT_EQ(found->row, 1);
    EXPECT_EQ(found->column, 0);
    EXPECT_FALSE(headDifference({1, 2, 2, a}, {1, 1, 4, b}, 0));
}

TEST(HeadDifference, HiddenKeysDoNotCount) {
    const Values a{1, 0, .5F, .5F}, b{1, 0, .3F, .7F};
    EXPECT_FLOAT_EQ(float(headDifference({1, 2, 2, a}, {1, 2, 2, b}, 0)->meanAbsolute), .4F / 3) << "three keys are seen";
    const Values scores{2, -1e9F}, others{1, -1e9F};
    EXPECT_DOUBLE_EQ(headDifference({1, 1, 2, scores}, {1, 1, 2, others}, 0)->meanAbsolute, 1) << "no zero of a hidden key";
}

}  // namespace
}  // namespace heddle
