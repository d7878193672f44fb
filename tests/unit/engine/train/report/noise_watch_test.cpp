// SPDX-License-Identifier: Apache-2.0
// The gradient noise scale of a step's micro-batches.
#include "engine/train/report/noise_watch.h"

#include "engine/bench/workload_batches.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/tiny_workload.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
namespace {

/// A tiny model that takes one step of several micro-batches at rate 0.
struct MicroStepped {
    explicit MicroStepped(bool isMeasured) : workload(testing_support::tinyWorkload("W1")) {
        workload.spec.train.lr = 0;
        workload.spec.train.schedule = ScheduleKind::Constant;
        batches = generateBatches(workload, 1);
        batches.resize(2);
        model = buildModel(workload.spec.variant.resolve(), 1);
        task = makeTask(workload.spec, workloadData(workload.spec));
        step = std::make_unique<TrainStep>(*model, *task, workload.spec.train, TrainStep::Options{});
        if (isMeasured) step->measureMicroGradientsNext();
        step->run(batches);
        norm = step->lastUpdate().gradientNorm.item<double>();
    }
    /// The norm of the gradient of one micro-batch alone, with the dropout that it has in the step.
    double normOf(std::size_t number) const {
        TrainStep alone(*model, *task, workload.spec.train, TrainStep::Options{});
        StepShare share;
        share.labels = batches[number].labelCount;
        share.rows = batches[number].rows;
        share.microBatches.push_back({batches[number], static_cast<std::int64_t>(number)});
        alone.run(share);
        return alone.lastUpdate().gradientNorm.item<double>();
    }

    Workload workload;
    std::vector<Batch> batches;
    std::unique_ptr<Model> model;
    std::unique_ptr<Task> task;
    std::unique_ptr<TrainStep> step;
    double norm = 0;
};

TEST(NoiseWatch, EstimatesAreThoseOfTheMicroBatchesAlone) {
    const MicroStepped taken(true);
    const auto first = static_cast<double>(taken.batches[0].labelCount),
               second = static_cast<double>(taken.batches[1].labelCount);
    const double small = (std::pow(taken.normOf(0), 2) + std::pow(taken.normOf(1), 2)) / 2;
    const MicroGradients& micro = taken.step->microGradients();
    ASSERT_TRUE(micro.meanSquare.defined());
    EXPECT_NEAR(micro.meanSquare.item<double>() / small, 1, 1e-4);
    EXPECT_NEAR(micro.meanInverse, (1 / first + 1 / second) / 2, 1e-12);
    EXPECT_EQ(micro.labels, static_cast<std::int64_t>(first + second));

    NoiseWatch watch(1);
    watch.take(1, *taken.step);
    test::RecordingSink sink;
    Emitter emitter(sink, "run", 1);
    watch.emit(emitter);
    const double square = taken.norm * taken.norm, big = 1 / (first + second);
    const double noise = (small - square) / (micro.meanInverse - big), signal = square - noise * big;
    ASSERT_EQ(sink.series("gradient_noise").size(), 1U);
    EXPECT_NEAR(sink.series("gradient_noise").front() / noise, 1, 1e-3);
    EXPECT_NEAR(sink.series("gradient_signal").front() / signal, 1, 1e-3);
    EXPECT_NEAR(sink.series("noise_scale").front() / (noise / signal), 1, 1e-3);
}

TEST(NoiseWatch, AMeasuredStepHasTheGradientsOfAnother) {
    const MicroStepped measured(true), plain(false);
    EXPECT_EQ(measured.norm, plain.norm);
    EXPECT_FALSE(plain.step->microGradients().meanSquare.defined());
    const auto states = measured.step->state(), others = plain.step->state();
    for (const auto& [name, tensor] : states) EXPECT_TRUE(at::equal(tensor, others.at(name))) << name;
}

TEST(NoiseWatch, ARunHasThemWhereAStepHasSeveralMicroBatches) {
    const auto train = [](std::int64_t every) {
        test::Attempt attempt(20, 4);
        attempt.spec.train.accumulate = 2;
        attempt.spec.train.epochs = 2;
        attempt.spec.record.healthEvery = every;
        attempt.spec.record.probes = 0;
        attempt.run();
        return std::pair{attempt.sink.series("noise_scale"), attempt.sink.all<CheckpointWritten>().back().weightsSha256};
    };
    const auto [none, plain] = train(0);
    const auto [scales, measured] = train(2);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(scales.size(), 2U) << "steps 2 and 4; step 6 has the last batch of its epoch alone";
    EXPECT_EQ(measured, plain);
}

}  // namespace
}  // namespace heddle
