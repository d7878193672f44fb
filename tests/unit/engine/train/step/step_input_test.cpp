// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/step_input.h"

#include "engine/data/batching/batch.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

Batch pairsOf(std::int64_t first, std::int64_t rows, std::int64_t length) {
    return test::madeUpBatch(first, rows, [=](std::int64_t i) { return length - i % 2; });
}

TEST(StepInput, KeepsItsAddressesAndTakesNewValues) {
    const Batch a = pairsOf(1, 4, 5), b = pairsOf(2, 4, 5);
    const StepNumbers first{4, 0.5, {0.1F, 0.2F}};
    StepInput input(shapeOf(a, first), at::kCPU);
    input.set(a, first);
    const void* const source = input.batch().source_BS.data_ptr();
    EXPECT_EQ(input.step().item<std::int64_t>(), 4);
    EXPECT_EQ(input.scale().item<double>(), 0.5);
    input.set(b, {5, 0.25, {0.3F, 0.4F}});
    EXPECT_EQ(input.batch().source_BS.data_ptr(), source);
    const DeviceBatch expected = toDevice(b, at::kCPU);
    EXPECT_TRUE(at::equal(input.batch().source_BS, expected.source_BS));
    EXPECT_TRUE(at::equal(input.batch().targetIn_BT, expected.targetIn_BT));
    EXPECT_TRUE(at::equal(input.batch().positions_N, expected.positions_N));
    EXPECT_TRUE(at::equal(input.batch().labels_N, expected.labels_N));
    EXPECT_EQ(input.step().item<std::int64_t>(), 5);
    EXPECT_FLOAT_EQ(input.learningRates_G()[1].item<float>(), 0.4F);
    EXPECT_ANY_THROW(input.set(pairsOf(1, 3, 5), {6, 1, {0.1F, 0.2F}}));
}

/// For every task, toDevice() copies all columns of a batch that a step reads.
TEST(StepInput, HasEveryColumnOfABatch) {
    Batch batch;
    batch.rows = 2, batch.sourceWidth = 3, batch.targetWidth = 2;
    forEachBatchColumn([&](const auto& column) {
        auto& values = batch.*column.values;
        values.resize(column.shape == ColumnShape::Patches ? 24 : column.shape == ColumnShape::Target ? 4 : 6);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<decltype(column.padding)>(10 * column.number + i);
    });
    const StepNumbers numbers{1, 1, {0.1F}};
    StepInput input(shapeOf(batch, numbers), at::kCPU);
    input.set(batch, numbers);
    DeviceBatch made = input.batch(), expected = toDevice(batch, at::kCPU);
    for (std::size_t number = 0; number < kBatchColumns; ++number)
        EXPECT_TRUE(at::equal(made.column(number), expected.column(number))) << "column " << number;
    EXPECT_EQ(made.patches_BSP.sizes(), (std::vector<std::int64_t>{2, 3, 4}));
    EXPECT_EQ(made.targetIn_BT.sizes(), (std::vector<std::int64_t>{2, 2}));
    EXPECT_EQ(made.labels_N.scalar_type(), at::kLong);
    EXPECT_EQ(made.numbers_B.scalar_type(), at::kFloat);
}

/// Dropout of a micro-batch depends on its number in the step, and a loss that counts sentences on its share of them.
TEST(StepInput, HasTheNumberAndTheShareOfAMicroBatch) {
    const Batch batch = pairsOf(3, 4, 5);
    StepNumbers numbers{7, 0.5, {0.1F}};
    numbers.part = StepPart::MicroBatch;
    numbers.microBatch = 2;
    numbers.share = 0.25;
    StepInput input(shapeOf(batch, numbers), at::kCPU);
    input.set(batch, numbers);
    EXPECT_EQ(input.step().item<std::int64_t>(), 7);
    EXPECT_EQ(input.counters().item<std::int64_t>(), 7 + (std::int64_t{2} << 32));
    EXPECT_EQ(input.share().item<double>(), 0.25);
    RandomKey key = randomKey(1, "stream");
    key.countersAt = input.counters().const_data_ptr<std::int64_t>();
    for (const std::uint64_t element : {0, 5, 1000})
        EXPECT_EQ(randomBits(key, element), randomBits(randomKey(1, "stream", 7, 2), element));
}

}  // namespace
}  // namespace heddle
