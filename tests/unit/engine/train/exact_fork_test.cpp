// SPDX-License-Identifier: Apache-2.0
// Runs with train.start.state: they go on where another run stood, as cooldowns of one trunk do.
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "engine/train/checkpoint/average.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

using testing::HasSubstr;

/// A trunk with dropout and two micro-batches a step, and runs that fork from it. It has checkpoints at steps 4 and 8; step 8
/// is in the middle of an epoch.
class ExactFork : public testing::Test {
protected:
    void SetUp() override {
        spec_ = test::toySpec(folder_.path(), test::toyPairs(40), test::toyPairs(9));
        TrainSpec& train = spec_.train;
        train.accumulate = 2;
        train.lr = 1e-2;
        train.schedule = ScheduleKind::Wsd;
        train.warmup = 3;
        train.scheduleDecay = 0;
        train.epochs = 0;
        train.steps = 9;
        train.checkpointEvery = 4;
        train.keepLast = 4;
        spec_.record.probes = 0;
        run(spec_, "trunk");
    }

    test::RecordingSink run(const RunSpec& spec, const std::string& name, const std::string& resumeFrom = "") {
        TrainRequest request = test::toyRequest(spec, folder_.path(), name);
        request.resumeFrom = resumeFrom;
        test::RecordingSink sink;
        Mailbox mailbox;
        test::createEngine()->train(request, sink, mailbox);
        return sink;
    }
    /// A run of twelve steps from the start, whose rate falls in the last four.
    RunSpec planned() const {
        RunSpec spec = spec_;
        spec.train.steps = 12;
        spec.train.scheduleDecay = 1.0 / 3;
        return spec;
    }
    RunSpec forked(std::int64_t step) const {
        RunSpec spec = planned();
        spec.train.start.checkpoint = folder_ / "trunk/" + checkpointName(step);
        spec.train.start.withState = true;
        return spec;
    }
    static std::vector<std::string> lastHashes(const test::RecordingSink& sink) {
        const auto last = sink.all<CheckpointWritten>().back();
        return {last.weightsSha256, last.optimizerSha256};
    }
    std::string problemOf(const RunSpec& spec) {
        try {
            run(spec, "refused");
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    TemporaryFolder folder_;
    RunSpec spec_;
};

TEST_F(ExactFork, ACooldownIsTheRunThatWasPlannedSoFromTheStart) {
    const auto straight = run(planned(), "straight"), fork = run(forked(8), "fork");
    EXPECT_EQ(lastHashes(fork), lastHashes(straight));
    const std::vector<float> all = straight.series("loss"), cooldown = fork.series("loss");
    ASSERT_EQ(all.size(), 12U);
    EXPECT_EQ(cooldown, std::vector<float>(all.begin() + 8, all.end()));
    EXPECT_EQ(lastHashes(run(forked(4), "early")), lastHashes(straight)) << "four steps of the trunk once more";
    RunSpec weightsAlone = forked(8);
    weightsAlone.train.start.withState = false;
    EXPECT_NE(lastHashes(run(weightsAlone, "weights")), lastHashes(straight));
}

TEST_F(ExactFork, ItResumesAsItself) {
    RunSpec spec = forked(4);
    const auto fork = run(spec, "fork");
    const Checkpoint first = readCheckpointState(folder_ / "fork/step-4");
    EXPECT_EQ(first.state.step, 4);
    EXPECT_FALSE(first.state.best) << "the best of the trunk is not in this run's folder";
    EXPECT_EQ(lastHashes(run(spec, "fork", folder_ / "fork/step-8")), lastHashes(fork));
}

TEST_F(ExactFork, WhatTheStateIsNotAboutIsRefused) {
    RunSpec other = forked(8);
    other.seed = 2;
    EXPECT_THAT(problemOf(other), HasSubstr("seed differs"));
    other = forked(8);
    other.train.steps = 8;
    EXPECT_THAT(problemOf(other), HasSubstr("no step"));
    other = forked(8);
    other.train.batchSentences = 40;
    EXPECT_THAT(problemOf(other), HasSubstr("batches"));
    other = forked(8);
    other.train.optimizer = OptimizerKind::Muon;
    EXPECT_THAT(problemOf(other), HasSubstr("same variant and optimizer"));
    other = forked(8);
    Json document = other.toJson();
    document["variant"]["dims"]["f"] = 24;
    EXPECT_THAT(problemOf(RunSpec::parse(document, builtinCatalogue())), HasSubstr("variant"));
}

TEST_F(ExactFork, ACheckpointWithoutTrainingStateIsRefused) {
    averageCheckpoints({folder_ / "trunk", {4, 8}, ""});
    RunSpec spec = forked(8);
    spec.train.start.checkpoint = folder_ / "trunk/average-4-8";
    EXPECT_THAT(problemOf(spec), HasSubstr("an average of checkpoints has no training state"));
    spec.train.start.checkpoint = folder_ / "trunk/step-8/weights.safetensors";
    EXPECT_THAT(problemOf(spec), HasSubstr("published weights have no training state"));
}

}  // namespace
}  // namespace heddle
