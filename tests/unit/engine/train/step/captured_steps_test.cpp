// SPDX-License-Identifier: Apache-2.0
// Recorded steps, their shapes and what cannot be recorded; a recorder that does its work again stands in for a CUDA graph.
#include "engine/train/step/captured_steps.h"

#include "engine/data/batching/batch.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/model/intervened_model.h"
#include "engine/train/report/gate_watch.h"
#include "engine/train/step/step.h"
#include "tests/unit/engine/replaying_graph.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

class Unable final : public DeviceGraph {
public:
    void capture(const std::function<void()>& work) override {
        work();  // a capture may break off after gradients were made
        TORCH_CHECK(false, "it waits for the device");
    }
    void replay() override { FAIL() << "there is nothing to repeat"; }
};

Batch pairs(std::int64_t first, std::int64_t rows, std::int64_t length) {
    return test::madeUpBatch(first, rows, [=](std::int64_t i) { return length - i % 2; });
}

TrainSpec warmingUp() {
    TrainSpec spec;
    spec.schedule = ScheduleKind::Noam;  // another learning rate every step
    spec.warmup = 3;
    return spec;
}

Json fixedPoint() { return {{"encoder", {{"share", {{"kind", "fixed_point"}, {"max_iter", 4}, {"on_failure", "report"}}}}}}; }

struct Training {
    explicit Training(const MakeDeviceGraph& makeGraph, const TrainSpec& spec = warmingUp(), const Json& changes = {})
        : model(buildModel(variant(changes), 7)), step(*model, *task, spec, {7, at::kCPU, 0, makeGraph}) {}

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

void expectTheSame(Training& a, Training& b) {
    test::expectSameParameters(*a.model, *b.model);
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
    Training plain({}), captured(test::replayingGraphs());
    for (std::int64_t i = 0; i < 12; ++i) {
        const Batch batch = pairs(i, i % 3 == 0 ? 4 : 3, 5);  // two shapes
        plain.step.run(batch);
        captured.step.run(batch);
    }
    expectTheSame(plain, captured);
    EXPECT_EQ(captured.step.captured()->counts().captures, 2);
    EXPECT_EQ(captured.step.captured()->counts().replays, 10) << "each shape is worked through once";
    EXPECT_EQ(plain.step.captured(), nullptr);
}

/// An intervention: a captured step would be that of the model as it was.
TEST_F(CapturedStepsTest, WhileThePassesAreChangedNoCaptureIsReplayed) {
    Training plain({}), captured(test::replayingGraphs());
    IntervenedModel plainModel(*plain.model), capturedModel(*captured.model);
    TrainStep eager(plainModel, *plain.task, warmingUp(), {7, at::kCPU, 0, {}});
    TrainStep replaying(capturedModel, *captured.task, warmingUp(), {7, at::kCPU, 0, test::replayingGraphs()});
    for (std::int64_t i = 0; i < 12; ++i) {
        const bool isChanged = i >= 5 && i < 8;
        if (i == 5 || i == 8) {
            const std::vector<Intervention> list =
                isChanged ? std::vector<Intervention>{MuteHead{"encoder.layers.0.self", 1}} : std::vector<Intervention>{};
            plainModel.set(list);
            capturedModel.set(list);
        }
        const Batch batch = pairs(i, 4, 5);
        eager.run(batch);
        replaying.run(batch);
    }
    test::expectSameParameters(*plain.model, *captured.model);
    EXPECT_EQ(replaying.captured()->counts().replays, 8) << "1 to 4 and 8 to 11";
}

TEST_F(CapturedStepsTest, AccumulatedStepsGoBetween) {
    Training plain({}), captured(test::replayingGraphs());
    GateWatch gates(captured.model->variant(), at::kCPU);
    for (std::int64_t i = 0; i < 9; ++i) {
        const Batch batch = pairs(i, 4, 5);
        if (i == 4) captured.step.watchNext(gates);
        const std::vector<Batch> steps = i == 6 ? std::vector{batch, pairs(30, 2, 3)} : std::vector{batch};
        plain.step.run(steps);
        captured.step.run(steps);
    }
    expectTheSame(plain, captured);
    EXPECT_EQ(captured.step.captured()->counts().replays, 7) << "all but the first of its shape and the accumulated one";
}

std::vector<HistogramTaken> histogramsOf(GateWatch& gates) {
    test::RecordingSink sink;
    Emitter emitter(sink, "run", 1);
    gates.emit(emitter);
    return sink.all<HistogramTaken>();
}

// Before: every twentieth step was watched, and worked through call by call.
TEST_F(CapturedStepsTest, WatchedStepsAreCapturedToo) {
    Training plain({}), captured(test::replayingGraphs());
    GateWatch ofPlain(plain.model->variant(), at::kCPU);
    GateWatch ofCaptured(captured.model->variant(), at::kCPU);
    for (std::int64_t i = 0; i < 12; ++i) {
        const Batch batch = pairs(i, 4, i % 2 == 0 ? 5 : 7);
        if (i % 3 == 0) {
            plain.step.watchNext(ofPlain);
            captured.step.watchNext(ofCaptured);
        }
        plain.step.run(batch);
        captured.step.run(batch);
    }
    expectTheSame(plain, captured);
    EXPECT_EQ(captured.step.captured()->counts().captures, 4) << "two shapes, each with and without somebody who watches";
    EXPECT_EQ(captured.step.captured()->counts().replays, 9)
        << "a shape that is met watched is not new where it was met before";
    const auto expected = histogramsOf(ofPlain), found = histogramsOf(ofCaptured);
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(expected[i].path, found[i].path);
        EXPECT_EQ(expected[i].bins, found[i].bins) << expected[i].path;
        EXPECT_EQ(expected[i].mean, found[i].mean) << expected[i].path;
    }
}

/// Three micro-batches of two shapes; the first is watched in some steps, and which sublayers are left out is drawn once a
/// step.
TEST_F(CapturedStepsTest, MicroBatchesAreCapturedAndThenTheUpdate) {
    const Json changes{{"defaults", {{"dropout", {{"kind", "standard"}, {"sublayer", 0.2}, {"layer", 0.3}}}}}};
    Training plain({}, warmingUp(), changes), captured(test::replayingGraphs(), warmingUp(), changes);
    GateWatch ofPlain(plain.model->variant(), at::kCPU), ofCaptured(captured.model->variant(), at::kCPU);
    constexpr std::int64_t kSteps = 6;
    for (std::int64_t i = 0; i < kSteps; ++i) {
        if (i % 2 == 0) {
            plain.step.watchNext(ofPlain);
            captured.step.watchNext(ofCaptured);
        }
        const std::vector<Batch> micro{pairs(3 * i, 4, 5), pairs(3 * i + 1, 3, 5), pairs(3 * i + 2, 4, 5)};
        plain.step.run(micro);
        captured.step.run(micro);
    }
    expectTheSame(plain, captured);
    const StepsCaptured& counts = captured.step.captured()->counts();
    EXPECT_EQ(counts.steps, 4 * kSteps) << "three micro-batches and the update";
    EXPECT_EQ(counts.captures, 4) << "two shapes, the first of them watched, too, and the update";
    EXPECT_EQ(counts.replays, counts.steps - 4) << "each shape and the update ran once; the unwatched shape was met watched";
    EXPECT_EQ(histogramsOf(ofPlain).size(), histogramsOf(ofCaptured).size());
}

/// An intervention freezes parameters for a while, which then have no gradient: the captured update is not that of these steps.
TEST_F(CapturedStepsTest, FrozenParametersStayAsTheyAreInStepsOfSeveralMicroBatches) {
    Training plain({}), captured(test::replayingGraphs());
    IntervenedModel plainModel(*plain.model), capturedModel(*captured.model);
    TrainStep eager(plainModel, *plain.task, warmingUp(), {7, at::kCPU, 0, {}});
    TrainStep replaying(capturedModel, *captured.task, warmingUp(), {7, at::kCPU, 0, test::replayingGraphs()});
    const std::string block = interventionTargets(plain.model->variant()).neutral.front();
    for (std::int64_t i = 0; i < 9; ++i) {
        if (i == 4 || i == 6) {
            const std::vector<Intervention> list =
                i == 4 ? std::vector<Intervention>{NeutralBlock{block}} : std::vector<Intervention>{};
            plainModel.set(list);
            capturedModel.set(list);
        }
        const std::vector<Batch> micro{pairs(2 * i, 4, 5), pairs(2 * i + 1, 4, 5)};
        eager.run(micro);
        replaying.run(micro);
    }
    test::expectSameParameters(*plain.model, *captured.model);
    EXPECT_GT(replaying.captured()->counts().replays, 9);
}

TEST_F(CapturedStepsTest, ResidualsOverStreamsAndDepthAreCapturedAndWatched) {
    for (const auto& [kind, watched] :
         {std::pair{"hyper", "mix"}, {"mhc", "stream_norm"}, {"mudd", "weight"}, {"attn_res", "weight"}}) {
        const Json changes{{"defaults", {{"residual", kind}, {"norm", {{"place", "pre"}, {"final", 1}}}}}};
        Training plain({}, warmingUp(), changes), captured(test::replayingGraphs(), warmingUp(), changes);
        GateWatch ofPlain(plain.model->variant(), at::kCPU), ofCaptured(captured.model->variant(), at::kCPU);
        for (std::int64_t i = 0; i < 6; ++i) {
            const Batch batch = pairs(i, 4, 5);
            if (i % 3 == 0) {
                plain.step.watchNext(ofPlain);
                captured.step.watchNext(ofCaptured);
            }
            plain.step.run(batch);
            captured.step.run(batch);
        }
        expectTheSame(plain, captured);
        EXPECT_GT(captured.step.captured()->counts().replays, 0) << kind;
        const auto expected = histogramsOf(ofPlain), found = histogramsOf(ofCaptured);
        ASSERT_EQ(expected.size(), found.size()) << kind;
        std::int64_t ofBlock = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(expected[i].bins, found[i].bins) << expected[i].path;
            if (expected[i].path.ends_with(".residual") && expected[i].name == watched) ++ofBlock;
        }
        EXPECT_EQ(ofBlock, 2 * 5) << kind << ": two watched steps of five sublayers";
    }
}

TEST_F(CapturedStepsTest, SublayersThatReadMoreThanTheStreamAreCaptured) {
    for (const char* kind : {"reinject", "lime"}) {
        const Json changes{{"defaults", {{"residual", kind}, {"norm", {{"place", "pre"}, {"final", 1}}}}}};
        Training plain({}, warmingUp(), changes), captured(test::replayingGraphs(), warmingUp(), changes);
        for (std::int64_t i = 0; i < 6; ++i) {
            const Batch batch = pairs(i, 4, 5);
            plain.step.run(batch);
            captured.step.run(batch);
        }
        expectTheSame(plain, captured);
        EXPECT_EQ(captured.step.captured()->counts().replays, 5) << kind;
    }
}

TEST_F(CapturedStepsTest, WhichSublayersAreLeftOutIsDrawnInEveryReplay) {
    const Json changes{{"defaults", {{"dropout", {{"kind", "standard"}, {"layer", 0.4}}}}}};
    Training plain({}, warmingUp(), changes), captured(test::replayingGraphs(), warmingUp(), changes);
    for (std::int64_t i = 0; i < 8; ++i) {
        const Batch batch = pairs(i, 4, 5);
        plain.step.run(batch);
        captured.step.run(batch);
    }
    expectTheSame(plain, captured);
    EXPECT_EQ(captured.step.captured()->counts().replays, 7);
}

/// Runs out of memory at the second capture.
class Greedy final : public DeviceGraph {
public:
    explicit Greedy(int& captures, int& alive) : captures_(captures), alive_(alive) { ++alive_; }
    ~Greedy() override { --alive_; }
    void capture(const std::function<void()>& work) override {
        TORCH_CHECK_WITH(OutOfMemoryError, ++captures_ < 2, "CUDA out of memory");
        work_ = work;
    }
    void replay() override { work_(); }

private:
    int &captures_, &alive_;
    std::function<void()> work_;
};

// Before: graphs that were captured earlier kept the memory that was missing, and the steps after them failed.
TEST_F(CapturedStepsTest, WithoutMemoryForGraphsTrainingGoesOnWithoutThem) {
    int captures = 0, alive = 0;
    Training plain({}), captured([&] { return std::make_unique<Greedy>(captures, alive); });
    for (std::int64_t i = 0; i < 12; ++i) {
        const Batch batch = pairs(i, 4, i % 2 == 0 ? 5 : 7);
        plain.step.run(batch);
        captured.step.run(batch);
    }
    expectTheSame(plain, captured);
    EXPECT_THAT(captured.step.captured()->obstacle(), testing::HasSubstr("not enough memory for graphs: CUDA out of memory"));
    EXPECT_EQ(alive, 0) << "graphs that keep memory";
    EXPECT_EQ(captures, 2);
}

TEST_F(CapturedStepsTest, ForgetsTheShapesThatWereUsedLongestAgo) {
    Training plain({}), captured(test::replayingGraphs());
    const auto most = static_cast<std::int64_t>(CapturedSteps::kMost);
    const auto both = [&](std::int64_t shape) {
        const Batch batch = pairs(shape, 2 + shape / 32, 2 + shape % 32);
        plain.step.run(batch);
        captured.step.run(batch);
        EXPECT_EQ(plain.step.ring().drain().front().objective, captured.step.ring().drain().front().objective);
    };
    both(0), both(0);
    EXPECT_EQ(captured.step.captured()->counts().captures, 1);
    for (std::int64_t i = 1; i <= most; ++i) both(i);
    both(0), both(0);
    EXPECT_EQ(captured.step.captured()->counts().captures, 2) << "the first shape had to be captured again";
    EXPECT_EQ(captured.step.captured()->counts().evictions, 2);
    expectTheSame(plain, captured);
}

TEST_F(CapturedStepsTest, WhatCannotBeRecordedIsDoneAndSaid) {
    Training captured([] { return std::make_unique<Unable>(); });
    for (std::int64_t i = 0; i < 3; ++i) captured.step.run(pairs(i, 4, 5));
    EXPECT_THAT(captured.step.captured()->obstacle(), testing::HasSubstr("it waits for the device"));
    EXPECT_EQ(captured.step.captured()->counts().captures, 0);
    EXPECT_EQ(captured.step.ring().size(), 3);
}

// A capture that is broken off must be ended with care: where it is known before that it cannot end well, nobody tries.
TEST_F(CapturedStepsTest, AModelThatMustReadItsValuesIsNotRecorded) {
    const MakeDeviceGraph none = []() -> std::unique_ptr<DeviceGraph> {
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
        const StepNumbers numbers{1, 1, {0.F}};
        StepInput input(shapeOf(batch, numbers), at::kCPU);
        input.set(batch, numbers);
        const at::NoGradGuard noGrad;
        return training.task->loss(training.task->logits(*training.model, input.batch(), {}), input.batch());
    };
    const Batch batch = pairs(3, 3, 5);
    const LossSums exact = lossOf(batch), rounded = lossOf(roundedUp(batch, 8, 64));
    EXPECT_NEAR(exact.nll.item<double>(), rounded.nll.item<double>(), 1e-4);
    EXPECT_EQ(exact.correct.item<double>(), rounded.correct.item<double>());
}

}  // namespace
}  // namespace heddle
