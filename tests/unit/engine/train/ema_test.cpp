// SPDX-License-Identifier: Apache-2.0
// Runs with train.ema: what is evaluated, kept and resumed.
#include "engine/base/sha256.h"
#include "engine/device/torch_pch.h"
#include "engine/run/intervention_change.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

/// Four epochs of five steps, two micro-batches each, with dropout; kept every four steps. Trained straight once.
class Ema : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = new TemporaryFolder;
        RunSpec spec = test::toySpec(folder_->path(), test::toyPairs(40), test::toyPairs(9));
        spec.train.accumulate = 2;
        spec.train.lr = 1e-2;
        spec.train.epochs = 4;
        spec.train.checkpointEvery = 4;
        spec.train.ema = 0.8;
        spec.record.probes = 0;
        request_ = new TrainRequest(test::toyRequest(spec, folder_->path(), "straight"));
        straight_ = new test::RecordingSink;
        train(*request_, *straight_);
    }
    static void TearDownTestSuite() {
        delete straight_;
        delete request_;
        delete folder_;
    }
    static void train(const TrainRequest& request, test::RecordingSink& sink) {
        Mailbox mailbox;
        test::createEngine()->train(request, sink, mailbox);
    }
    static std::vector<std::string> lastHashes(const test::RecordingSink& sink) {
        const auto last = sink.all<CheckpointWritten>().back();
        return {last.weightsSha256, last.optimizerSha256, last.stateSha256};
    }
    /// Trains on from a checkpoint of the straight run, after `change` was made to it.
    static std::vector<std::string> resume(std::int64_t step, const std::function<void(Checkpoint&)>& change = {}) {
        const TemporaryFolder folder;
        fs::copy(*folder_ / "straight", folder / "straight", fs::copy_options::recursive);
        Checkpoint checkpoint = readCheckpoint(folder / "straight/" + checkpointName(step));
        if (change) change(checkpoint);
        TrainRequest request = *request_;
        request.runFolder = folder / "straight";
        request.resumeFrom = folder / writeCheckpoint(folder / "from", checkpoint).folder;
        test::RecordingSink sink;
        train(request, sink);
        return lastHashes(sink);
    }
    static EvaluationReport evaluate(std::int64_t step) {
        EvaluationRequest request;
        request.spec = request_->spec;
        request.checkpointFolder = *folder_ / "straight/" + checkpointName(step);
        request.cacheFolder = request_->cacheFolder;
        request.device = "cpu";
        return test::createEngine()->evaluate(request);
    }

    static TemporaryFolder* folder_;
    static TrainRequest* request_;
    static test::RecordingSink* straight_;
};
TemporaryFolder* Ema::folder_ = nullptr;
TrainRequest* Ema::request_ = nullptr;
test::RecordingSink* Ema::straight_ = nullptr;

TEST_F(Ema, FromEveryCheckpointTheEndIsTheSameToTheLastBit) {
    for (std::int64_t step = 0; step < 20; step += 4) EXPECT_EQ(resume(step), lastHashes(*straight_)) << "from step " << step;
    for (const char* part : {".ema", ".trained"}) {
        const auto omit = [&](Checkpoint& checkpoint) {
            for (auto& [name, tensor] : checkpoint.optimizer)
                if (name.ends_with(part)) tensor.zero_();
        };
        EXPECT_NE(resume(8, omit), lastHashes(*straight_)) << part << " left out, not noticed";
    }
}

TEST_F(Ema, ChangesNothingInTraining) {
    const TemporaryFolder folder;
    TrainRequest request = *request_;
    request.spec.train.ema = 0;
    request.runFolder = folder / "run";
    test::RecordingSink plain;
    train(request, plain);
    EXPECT_EQ(plain.series("loss"), straight_->series("loss"));
    EXPECT_EQ(plain.series("grad_norm"), straight_->series("grad_norm"));
    EXPECT_NE(plain.metric("valid", "loss"), straight_->metric("valid", "loss"));
    const Checkpoint averaged = readCheckpoint(*folder_ / "straight/step-20"), without = readCheckpoint(folder / "run/step-20");
    ASSERT_EQ(averaged.weights.size(), without.weights.size());
    std::size_t differ = 0;
    for (const auto& [path, tensor] : without.weights) {
        differ += at::equal(averaged.weights.at(path), tensor) ? 0 : 1;
        EXPECT_TRUE(at::equal(averaged.optimizer.at(path + ".trained"), tensor)) << path;
    }
    EXPECT_GT(differ, without.weights.size() / 2);
    EXPECT_EQ(without.optimizer.count("embed.weight.ema"), 0U);
}

TEST_F(Ema, WhatIsKeptIsWhatWasEvaluated) {
    std::vector<std::string> signatures;
    for (const auto& done : straight_->all<EvaluationDone>())
        for (const auto& value : done.values)
            if (done.split == "valid") signatures.push_back(value.signature);
    EXPECT_THAT(signatures, Each(HasSubstr("ema:0.8")));
    const EvaluationReport again = evaluate(20);
    EXPECT_EQ(again.measured.values.front().metric, "loss");
    EXPECT_EQ(again.measured.values.front().value, straight_->metric("valid", "loss").back());
    EXPECT_THAT(again.measured.values.front().signature, HasSubstr("ema:0.8"));
    signatures.clear();
    for (const auto& done : straight_->all<EvaluationDone>())
        for (const auto& value : done.values)
            if (done.split == "train") signatures.push_back(value.signature);
    EXPECT_THAT(signatures, testing::Not(testing::IsEmpty()));
    EXPECT_THAT(signatures, Each(Not(HasSubstr("ema:"))));
}

TEST_F(Ema, TheTestSplitIsScoredWithTheLastAverageWhereItIsTheBest) {
    const TemporaryFolder folder;
    TrainRequest request = *request_;
    request.spec.data.test = request.spec.data.valid;
    request.spec.evaluate.testAtEnd = true;
    request.runFolder = folder / "run";
    test::RecordingSink sink;
    train(request, sink);
    const auto valid = sink.metric("valid", "loss"), test = sink.metric("test", "loss");
    ASSERT_EQ(*std::min_element(valid.begin(), valid.end()), valid.back());
    EXPECT_THAT(test, testing::ElementsAre(valid.back()));
}

/// A run whose validation pairs contradict the training pairs, so that the loss gets worse after a while, which ends it.
RunSpec worseningSpec(const std::string& folder) {
    auto valid = test::toyPairs(9);
    for (std::size_t i = 0; i < valid.size(); ++i) valid[i].second = test::toyPairs(41)[i + 1].second;
    RunSpec spec = test::toySpec(folder, test::toyPairs(40), valid);
    spec.data.test = spec.data.valid;
    spec.evaluate.testAtEnd = true;
    spec.train.lr = 1e-2;
    spec.train.epochs = 0;
    spec.train.patience = 3;
    spec.record.probes = 0;
    return spec;
}

TEST_F(Ema, TheTestSplitIsScoredWithTheBestAverageWhereThatIsAnEarlierOne) {
    const TemporaryFolder folder;
    RunSpec spec = worseningSpec(folder.path());
    spec.train.ema = 0.8;
    test::RecordingSink sink;
    train(test::toyRequest(spec, folder.path(), "run"), sink);
    const auto valid = sink.metric("valid", "loss"), test = sink.metric("test", "loss");
    ASSERT_LT(*std::min_element(valid.begin(), valid.end()), valid.back());
    EXPECT_THAT(test, testing::ElementsAre(*std::min_element(valid.begin(), valid.end())));
}

TEST_F(Ema, NeutralWeightsDoNotEnterIt) {
    const TemporaryFolder folder;
    TrainRequest request = *request_;
    request.runFolder = folder / "run";
    Mailbox mailbox;
    InterventionChange change;
    change.add = {NeutralBlock{"encoder.layers.0.self.residual"}};
    mailbox.put(AskCommand{7, interventionQuestion(change)});
    test::RecordingSink sink;
    test::createEngine()->train(request, sink, mailbox);
    const auto answers = sink.all<Answer>();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_FALSE(answers[0].ok);
    EXPECT_THAT(answers[0].value.dump(), HasSubstr("train.ema"));
}

// Before: a checkpoint that was asked for while the test split was evaluated got the best weights under the name of the last
// step, in place of the last ones.
TEST(Train, ACheckpointAskedForDuringTheTestSplitLeavesTheLastWeights) {
    const TemporaryFolder folder;
    Mailbox mailbox;
    test::RecordingSink sink;
    sink.onEvent = [&](const Event& event) {
        const auto* written = std::get_if<CheckpointWritten>(&event.body);
        if (written && written->kinds == std::vector<std::string>{"last"}) mailbox.put(CheckpointCommand{});
    };
    const auto outcome =
        test::createEngine()->train(test::toyRequest(worseningSpec(folder.path()), folder.path(), "run"), sink, mailbox);
    const auto valid = sink.metric("valid", "loss");
    ASSERT_NE(*std::min_element(valid.begin(), valid.end()), valid.back()) << "the best weights are not the last ones";
    ASSERT_EQ(sink.metric("test", "loss").size(), 1U);
    const auto last = sink.all<CheckpointWritten>().back();
    EXPECT_THAT(last.kinds, testing::ElementsAre("last"));
    EXPECT_EQ(last.weightsSha256, sha256OfFile(folder / "run/" + checkpointName(outcome.step) + "/weights.safetensors"));
}

}  // namespace
}  // namespace heddle
