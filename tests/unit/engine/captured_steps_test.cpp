// SPDX-License-Identifier: Apache-2.0
// Recorded steps, their shapes and what cannot be recorded; a recorder that does its work again stands in for a CUDA graph.
#include "engine/train/captured_steps.h"

#include "engine/data/round_batch.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/train/gate_watch.h"
#include "engine/train/step.h"
#include "tests/unit/engine/again_recorder.h"
#include "tests/unit/engine/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

class Unable final : public Recorder {
public:
    void record(const std::function<void()>& work) override {
        work();  // a capture may break off after gradients were made
        TORCH_CHECK(false, "it waits for the device");
    }
    void repeat() override { FAIL() << "there is nothing to repeat"; }
};

Batch pairs(std::int64_t first, std::int64_t rows, std::int64_t length) {
    return test::madeUpBatch(first, rows, [=](std::int64_t i) { return length - i % 2; });
}

TrainSpec warmingUp() {
    TrainSpec spec;
    spec.schedule = "noam";  // another learning rate every step
    spec.warmup = 3;
    return spec;
}

Json fixedPoint() { return {{"encoder", {{"share", {{"kind", "fixed_point"}, {"max_iter", 4}, {"on_failure", "report"}}}}}}; }

struct Training {
    explicit Training(const MakeRecorder& makeRecorder, const TrainSpec& spec = warmingUp(), const Json& changes = {})
        : model(buildModel(variant(changes), 7)), step(*model, *task, spec, {7, at::kCPU, 0, makeRecorder}) {}

    static ResolvedVariant variant(const Json& changes) {
        Json document{{"preset", "eau-full"},
                      {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_enc", 1}, {"layers_dec", 1}, {"max_len", 64}}},
                      {"defaults", {{"dropout", {{"kind", "standard"}, {"sublayer", 0.2}, {"attention", 0.1}}}}}};
        if (!changes.is_null()) document.update(changes);
        return VariantSpec::parse(document, builtinCatalogue()).resolve(test::kMadeUpWords, test::kMadeUpWords);
    }
    RunData data;
    RunSpec run;
    std::unique_ptr<Task> task = makeTask(run, data);
    std::unique_ptr<Model> model;
    TrainStep step;
};

MakeRecorder again() {
    return [] { return std::make_unique<test::AgainRecorder>(); };
}

void expectTheSame(Training& a, Training& b) {
    for (const auto& [path, tensor] : a.model->parameters().entries())
        EXPECT_TRUE(at::equal(tensor, b.model->parameters().find(path))) << path;
    const auto valuesA = a.step.ring().drain(), valuesB = b.step.ring().drain();
    ASSERT_EQ(valuesA.size(), valuesB.size());
    for (std::size_t i = 0; i < valuesA.size(); ++i) {
        EXPECT_EQ(valuesA[i].objective, valuesB[i].objective) << "step " << i;
        EXPECT_EQ(valuesA[i].correct, valuesB[i].correct) << "step " << i;
    }
}

class CapturedStepsTest : public testing::Test {
protected:
    void SetUp() override { configureComputeThread({1, true}); }
};

TEST_F(CapturedStepsTest, RepeatedStepsAreThoseThatWouldHaveBeenMade) {
    Training plain({}), captured(again());
    for (std::int64_t i = 0; i < 12; ++i) {
        const Batch batch = pairs(i, i % 3 == 0 ? 4 : 3, 5);  // two shapes
        plain.step.run(batch);
        captured.step.run(batch);
    }
    expectTheSame(plain, captured);
    EXPECT_EQ(captured.step.captured()->recorded(), 2);
    EXPECT_EQ(captured.step.captured()->repeated(), 10) << "each shape is worked through once";
    EXPECT_EQ(plain.step.captured(), nullptr);
}

TEST_F(CapturedStepsTest, WatchedAndAccumulatedStepsGoBetween) {
    Training plain({}), captured(again());
    GateWatch gates(captured.model->variant(), builtinCatalogue(), at::kCPU);
    for (std::int64_t i = 0; i < 9; ++i) {
        const Batch batch = pairs(i, 4, 5);
        if (i == 4) {
            gates.begin(i + 1, batch);
            captured.step.watchNext(gates);
        }
        const std::vector<Batch> steps = i == 6 ? std::vector{batch, pairs(30, 2, 3)} : std::vector{batch};
        plain.step.run(steps);
        captured.step.run(steps);
    }
    expectTheSame(plain, captured);
    EXPECT_EQ(captured.step.captured()->repeated(), 6);
}

TEST_F(CapturedStepsTest, ForgetsTheShapesThatWereUsedLongestAgo) {
    Training plain({}), captured(again());
    const auto most = static_cast<std::int64_t>(CapturedSteps::kMost);
    const auto both = [&](std::int64_t length) {
        plain.step.run(pairs(length, 2, length));
        captured.step.run(pairs(length, 2, length));
    };
    both(2), both(2);
    EXPECT_EQ(captured.step.captured()->recorded(), 1);
    for (std::int64_t i = 0; i < most; ++i) both(3 + i);
    both(2), both(2);
    EXPECT_EQ(captured.step.captured()->recorded(), 2) << "the first shape had to be recorded again";
    expectTheSame(plain, captured);
}

TEST_F(CapturedStepsTest, WhatCannotBeRecordedIsDoneAndSaid) {
    Training captured([] { return std::make_unique<Unable>(); });
    for (std::int64_t i = 0; i < 3; ++i) captured.step.run(pairs(i, 4, 5));
    EXPECT_THAT(captured.step.captured()->obstacle(), testing::HasSubstr("it waits for the device"));
    EXPECT_EQ(captured.step.captured()->recorded(), 0);
    EXPECT_EQ(captured.step.ring().size(), 3);
}

// A capture that is broken off must be ended with care: where it is known before that it cannot end well, nobody tries.
TEST_F(CapturedStepsTest, AModelThatMustReadItsValuesIsNotRecorded) {
    const MakeRecorder none = []() -> std::unique_ptr<Recorder> {
        ADD_FAILURE() << "was tried";
        return std::make_unique<Unable>();
    };
    Training plain({}, warmingUp(), fixedPoint()), captured(none, warmingUp(), fixedPoint());
    for (std::int64_t i = 0; i < 3; ++i) {
        plain.step.run(pairs(i, 4, 5));
        captured.step.run(pairs(i, 4, 5));
    }
    EXPECT_THAT(captured.step.captured()->obstacle(), testing::StartsWith("encoder.share: how often"));
    expectTheSame(plain, captured);
}

TEST_F(CapturedStepsTest, RoundingUpChangesNoAnswerThatCounts) {
    TrainSpec spec = warmingUp();
    spec.labelSmoothing = 0;
    const auto lossOf = [&](const Batch& batch) {
        Training training({}, spec);
        Forward f;
        StepInput input(shapeOf(batch, 1), at::kCPU);
        input.set(batch, {1, 1, {0.F}});
        const at::NoGradGuard noGrad;
        return training.task->loss(training.task->answers(*training.model, input.batch(), f), input.batch());
    };
    const Batch batch = pairs(3, 3, 5);
    const LossSums exact = lossOf(batch), rounded = lossOf(roundedUp(batch, 8, 64));
    EXPECT_NEAR(exact.nll.item<double>(), rounded.nll.item<double>(), 1e-4);
    EXPECT_EQ(exact.correct.item<double>(), rounded.correct.item<double>());
}

TEST_F(CapturedStepsTest, InputKeepsItsAddressesAndTakesNewValues) {
    const Batch a = pairs(1, 4, 5), b = pairs(2, 4, 5);
    StepInput input(shapeOf(a, 2), at::kCPU);
    input.set(a, {4, 0.5, {0.1F, 0.2F}});
    const void* const source = input.batch().source_BS.data_ptr();
    EXPECT_EQ(input.step().item<std::int64_t>(), 4);
    EXPECT_EQ(input.scale().item<double>(), 0.5);
    input.set(b, {5, 0.25, {0.3F, 0.4F}});
    EXPECT_EQ(input.batch().source_BS.data_ptr(), source);
    const DeviceBatch expected = toDevice(b, at::kCPU);
    EXPECT_TRUE(at::equal(input.batch().source_BS, expected.source_BS));
    EXPECT_TRUE(at::equal(input.batch().targetIn_BT, expected.targetIn_BT));
    EXPECT_TRUE(at::equal(input.batch().positions_N, expected.positions_N));
    EXPECT_TRUE(at::equal(input.batch().targets_N, expected.targets_N));
    EXPECT_EQ(input.step().item<std::int64_t>(), 5);
    EXPECT_FLOAT_EQ(input.learningRates_G()[1].item<float>(), 0.4F);
    EXPECT_ANY_THROW(input.set(pairs(1, 3, 5), {6, 1, {0.1F, 0.2F}}));
}

}  // namespace
}  // namespace heddle
