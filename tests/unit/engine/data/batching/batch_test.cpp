// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/batch.h"

#include "engine/base/error.h"

#include <gmock/gmock.h>

namespace heddle {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// Two pairs: three and two words read, two and one written.
Batch roundPairs() {
    Batch batch;
    batch.rows = 2;
    batch.sourceWidth = 4;
    batch.targetWidth = 3;
    batch.source = {10, 11, 12, kEos, 13, 14, kEos, kPad};
    batch.targetIn = {kSos, 20, 21, kSos, 22, kPad};
    batch.positions = {0, 1, 2, 3, 4};
    batch.labels = {20, 21, kEos, 22, kEos};
    batch.sourceTokens = 7;
    batch.labelCount = 5;
    batch.indices = {0, 1};
    return batch;
}

TEST(RoundBatch, GrowsWithPaddingAndKeepsWhatIsCounted) {
    const Batch batch = roundedUp(roundPairs(), 4, 100);
    EXPECT_EQ(batch.rows, 4);
    EXPECT_EQ(batch.sourceWidth, 4);
    EXPECT_EQ(batch.targetWidth, 4);
    ASSERT_EQ(batch.source.size(), 16U);
    EXPECT_THAT(std::vector(batch.source.begin() + 8, batch.source.end()), Each(kPad));
    EXPECT_THAT(batch.targetIn,
                ElementsAre(kSos, 20, 21, kPad, kSos, 22, kPad, kPad, kPad, kPad, kPad, kPad, kPad, kPad, kPad, kPad));
    EXPECT_EQ(batch.labelCount, 5);
    EXPECT_EQ(batch.sourceTokens, 7);
    EXPECT_THAT(batch.indices, ElementsAre(0, 1));
}

TEST(RoundBatch, AsksEveryPositionWhereMostAreAsked) {
    const Batch batch = roundedUp(roundPairs(), 2, 3);  // the longest sequence that the model takes is 3
    EXPECT_EQ(batch.rows, 2);
    EXPECT_EQ(batch.sourceWidth, 4) << "it was longer already";
    EXPECT_EQ(batch.targetWidth, 3);
    EXPECT_THAT(batch.positions, ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(batch.labels, ElementsAre(20, 21, kEos, 22, kEos, -1));
    EXPECT_EQ(roundedUp(roundPairs(), 4, 100).positions.size(), 16U) << "8 of 16 are half";
}

// Before: the number of answers rounded to a multiple of 8 made nearly every batch of masked words a shape of its own.
TEST(RoundBatch, FewAnswersAreRoundedToASixteenthOfAllPositions) {
    Batch batch;
    batch.rows = 30;
    batch.sourceWidth = 60;
    batch.source.assign(1800, 9);
    for (std::int64_t i = 0; i < 270; ++i) batch.positions.push_back(6 * i + 3);
    batch.labels.assign(270, 9);
    const Batch rounded = roundedUp(batch, 8, 100);
    EXPECT_EQ(rounded.rows, 32);
    EXPECT_EQ(rounded.sourceWidth, 64);
    ASSERT_EQ(rounded.positions.size(), 384U) << "three sixteenths of 2,048";
    EXPECT_EQ(rounded.labels.size(), 384U);
    EXPECT_EQ(rounded.positions[1], 9) << "position 9 of the first row";
    EXPECT_EQ(rounded.positions[269], 26 * 64 + 57) << "position 1,617: row 26, place 57";
    EXPECT_THAT(std::vector(rounded.positions.begin() + 270, rounded.positions.end()), Each(rounded.positions[269]));
    EXPECT_THAT(std::vector(rounded.labels.begin() + 270, rounded.labels.end()), Each(-1));
}

TEST(RoundBatch, ManyRowsAreRoundedByAnEighth) {
    const auto rowsOf = [](std::int64_t rows) {
        Batch batch;
        batch.rows = rows;
        batch.sourceWidth = 1;
        batch.source.assign(static_cast<std::size_t>(rows), 9);
        batch.positions = {0};
        batch.labels = {9};
        return roundedUp(batch, 8, 100).rows;
    };
    EXPECT_EQ(rowsOf(9), 16);
    EXPECT_EQ(rowsOf(128), 128);
    EXPECT_EQ(rowsOf(129), 144);
    EXPECT_EQ(rowsOf(1025), 1152);
}

TEST(RoundBatch, LeavesRowsWithOneAnswerEachAlone) {
    Batch batch = roundPairs();
    batch.targetIn.clear();
    batch.targetWidth = 0;
    batch.positions.clear();
    batch.types = {0, 0, 1, 1, 0, 1, 1, 0};
    batch.labels = {1, 0};
    const Batch rounded = roundedUp(batch, 8, 100);
    EXPECT_EQ(rounded.rows, 2);
    EXPECT_EQ(rounded.sourceWidth, 8);
    EXPECT_THAT(rounded.types, ElementsAre(0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0));
    EXPECT_THAT(rounded.labels, ElementsAre(1, 0));
}

TEST(OrderedBatch, HasThePositionsOfAnIdTogether) {
    Batch batch = roundPairs();
    batch.source[6] = 11;
    const Batch made = withOrders(batch);
    EXPECT_THAT(made.sourceOrder, ElementsAre(7, 3, 0, 1, 6, 2, 4, 5)) << "kPad, kEos, words";
    EXPECT_THAT(made.targetOrder, ElementsAre(5, 0, 3, 1, 2, 4));
    EXPECT_EQ(made.source, batch.source);
    EXPECT_THAT(withOrders({}).sourceOrder, ElementsAre());
    EXPECT_THROW(roundedUp(made, 4, 100), Error) << "the added positions are not in the orders";
}

TEST(RoundBatch, OneAndImagesChangeNothing) {
    EXPECT_EQ(roundedUp(roundPairs(), 1, 100).source, roundPairs().source);
    Batch images = roundPairs();
    images.patches.assign(8, 0.5F);
    EXPECT_EQ(roundedUp(images, 8, 100).sourceWidth, 4);
}

}  // namespace
}  // namespace heddle
