// SPDX-License-Identifier: Apache-2.0
// Runs that a budget ends, and that the step is known where it can be.
#include "engine/train/loop/budget.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/setup.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

namespace heddle {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Two micro-batches a step, five steps an epoch, and sentences of different lengths; only the budget ends it.
struct Budgeted : test::Attempt {
    Budgeted() : Attempt(38, 9) {
        spec.train.accumulate = 2;
        spec.train.epochs = 0;
        spec.record.probes = 0;
    }
    std::vector<std::string> remarks() const {
        std::vector<std::string> texts;
        for (const Remark& remark : sink.all<Remark>()) texts.push_back(remark.text);
        return texts;
    }
};

/// The tokens of the first steps of a run, as training reads them.
std::vector<std::int64_t> tokensOfSteps(const RunSpec& spec, std::int64_t epochs) {
    RunSpec any = spec;
    any.train.steps = 1;  // what ends it is not asked here
    const Setup setup = setUp(any, loadRunData(any, {}, {}));
    std::vector<std::int64_t> steps;
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
        const auto batches = planEpoch(setup.data.train, trainingBatches(spec, setup.model->variant().dims), epoch);
        for (std::size_t i = 0; i < batches.size(); ++i) {
            if (i % static_cast<std::size_t>(spec.train.accumulate) == 0) steps.push_back(0);
            steps.back() += setup.task->makeBatch(setup.data.train, batches[i], epoch).workTokens();
        }
    }
    return steps;
}

TEST(Budget, TokensEndTheRunWithTheStepThatReadsTheLastOfThem) {
    Budgeted run;
    const std::vector<std::int64_t> steps = tokensOfSteps(run.spec, 2);
    ASSERT_EQ(steps.size(), 10U);
    const std::int64_t seven = std::accumulate(steps.begin(), steps.begin() + 7, std::int64_t{0});
    run.spec.train.budget.tokens = static_cast<double>(seven);
    EXPECT_EQ(run.run().step, 7);
    EXPECT_THAT(run.remarks(), Contains("train.budget ends the run after step 7"));
    EXPECT_EQ(run.sink.metric("valid", "loss").size(), 2U) << "after the epoch and at the end";
    EXPECT_EQ(run.sink.all<AttemptDescribed>().front().totalSteps, 7);

    Budgeted more;
    more.spec.train.budget.tokens = static_cast<double>(seven + 1);
    EXPECT_EQ(more.run().step, 8);
    Budgeted less;
    less.spec.train.budget.tokens = static_cast<double>(seven + 1);
    less.spec.train.steps = 6;
    EXPECT_EQ(less.run().step, 6) << "what ends first";
}

TEST(Budget, ScheduleAndWeightsAreThoseOfARunOfAsManySteps) {
    const auto train = [](const BudgetSpec& budget, std::int64_t steps) {
        Budgeted run;
        run.spec.train.schedule = ScheduleKind::Linear;
        run.spec.train.warmup = 2;
        run.spec.train.budget = budget;
        run.spec.train.steps = steps;
        run.run();
        return std::pair{run.sink.all<CheckpointWritten>().back().weightsSha256, run.sink.series("lr")};
    };
    Budgeted any;
    const std::vector<std::int64_t> steps = tokensOfSteps(any.spec, 2);
    const auto total = static_cast<double>(std::accumulate(steps.begin(), steps.begin() + 7, std::int64_t{0}));
    EXPECT_EQ(train({total, 0, 0}, 0), train({}, 7));

    any.spec.train.steps = 1;
    const heddle::Setup setup = setUp(any.spec, loadRunData(any.spec, {}, {}));
    const auto rows = static_cast<double>(setup.data.train.size());
    const double ofEpoch = static_cast<double>(std::accumulate(steps.begin(), steps.begin() + 5, std::int64_t{0}));
    const double perToken = trainingFlopsPerToken(setup.model->variant(), std::llround(ofEpoch / rows));
    EXPECT_EQ(train({0, (total - 0.5) * perToken, 0}, 0), train({}, 7));
}

TEST(Budget, FlopsAreThoseOfTheCount) {
    Budgeted any;
    const ResolvedVariant variant = any.spec.variant.resolve(30, 30);
    double forward = 0;
    for (const ModuleCost& module : countCost(variant, 9).modules) forward += module.flopsPerToken;
    EXPECT_GT(forward, 0);
    EXPECT_DOUBLE_EQ(trainingFlopsPerToken(variant, 9), 3 * forward) << "backward is twice the forward pass";
}

TEST(Budget, SecondsEndTheRunAtABorderThatIsTold) {
    Budgeted run;
    run.spec.train.budget.seconds = 0.3;
    run.spec.train.checkpointEvery = 0;
    const TrainOutcome outcome = run.run();
    EXPECT_EQ(outcome.state, RunState::Completed);
    ASSERT_GT(outcome.step, 0);
    const std::string step = std::to_string(outcome.step);
    EXPECT_THAT(run.remarks(), Contains(HasSubstr("after step " + step + ": train.steps=" + step + " repeats it")));
    EXPECT_EQ(run.sink.all<EvaluationDone>().back().split, "valid") << "it is evaluated at its end";

    Budgeted again;
    again.spec.train.steps = outcome.step;
    again.spec.train.checkpointEvery = 0;
    again.run();
    EXPECT_EQ(again.sink.all<CheckpointWritten>().back().weightsSha256, run.sink.all<CheckpointWritten>().back().weightsSha256);
}

TEST(Budget, TimeOfEarlierAttemptsCounts) {
    Budgeted run;
    run.spec.train.budget.seconds = 1000;
    run.spec.train.steps = 4;
    run.spec.train.checkpointEvery = 2;
    run.run();
    const std::string folder = run.folder / "run/step-2";
    Checkpoint checkpoint = readCheckpoint(folder);
    EXPECT_GT(checkpoint.state.seconds, 0);
    EXPECT_LT(checkpoint.state.seconds, 1000);
    checkpoint.state.seconds = 999.9999;
    TrainRequest request = test::toyRequest(run.spec, run.folder.path(), "again");
    request.resumeFrom = run.folder / writeCheckpoint(run.folder / "from", checkpoint).folder;
    test::RecordingSink sink;
    Mailbox mailbox;
    EXPECT_EQ(test::createEngine()->train(request, sink, mailbox).step, 3);

    checkpoint.state.seconds = 1000;  // the program died after the last step, before the run was completed
    TrainRequest ended = test::toyRequest(run.spec, run.folder.path(), "ended");
    ended.resumeFrom = run.folder / writeCheckpoint(run.folder / "last", checkpoint).folder;
    const TrainOutcome outcome = test::createEngine()->train(ended, sink, mailbox);
    EXPECT_EQ(outcome.step, 2) << "no step is taken after the time is over";
    EXPECT_EQ(outcome.state, RunState::Completed);
}

TEST(Budget, TimeThatAnEvaluationTookEndsTheRunAfterAStepThatIsEvaluated) {
    Budgeted run;
    run.spec.train.budget.seconds = 1000;
    run.spec.train.steps = 8;
    run.spec.train.checkpointEvery = 2;
    run.spec.evaluate.bleuEveryEpochs = 0;
    run.run();
    Checkpoint checkpoint = readCheckpoint(run.folder / "run/step-2");
    EXPECT_GT(checkpoint.state.borderSeconds, 0);
    checkpoint.state.borderSeconds = 1000;
    TrainRequest request = test::toyRequest(run.spec, run.folder.path(), "again");
    request.resumeFrom = run.folder / writeCheckpoint(run.folder / "from", checkpoint).folder;
    test::RecordingSink sink;
    Mailbox mailbox;
    const TrainOutcome outcome = test::createEngine()->train(request, sink, mailbox);
    EXPECT_EQ(outcome.step, 3);
    const auto decoded = sink.metric("valid", "bleu");
    EXPECT_EQ(decoded.size(), 1U) << "the end is decoded";
}

TEST(Budget, AScheduleWithAnEndNeedsOne) {
    Budgeted run;
    run.spec.train.budget.seconds = 10;
    run.spec.train.schedule = ScheduleKind::Cosine;
    try {
        run.run();
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("needs its last step"));
        EXPECT_TRUE(run.sink.series("loss").empty()) << "before the first step, not after the warm-up";
    }
}

}  // namespace
}  // namespace heddle
