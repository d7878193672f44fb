// SPDX-License-Identifier: Apache-2.0
// Exact resume, and the proof that the test has teeth: leaving out any one saved item must be noticed.
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// What an attempt ended with: the files of its last checkpoint, and how.
struct Ending {
    std::string weights, optimizer, state;
    std::int64_t step = 0;
    bool operator==(const Ending&) const = default;
};

/// Validation pairs that contradict the training pairs, so that the loss gets worse after a while: a patience event.
test::Pairs contradictions() {
    auto pairs = test::toyPairs(40);
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].second = test::toyPairs(41)[i + 1].second;
    pairs.resize(9);
    return pairs;
}

/// A run with dropout, a changing learning rate, two micro-batches a step and five steps an epoch, which early stopping ends.
/// It is trained straight once; every test starts from one of its checkpoints.
class Resume : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = new TemporaryFolder;
        RunSpec spec = test::toySpec(folder_->path(), test::toyPairs(40), contradictions());
        spec.train.accumulate = 2;
        spec.train.lr = 1e-2;
        spec.train.epochs = 0;
        spec.train.patience = 3;
        spec.train.checkpointEvery = 4;
        spec.record.probes = 0;
        request_ = new TrainRequest(test::toyRequest(spec, folder_->path(), "straight"));
        sink_ = new test::RecordingSink;
        straight_ = new Ending(train(*request_, *sink_));
    }
    static void TearDownTestSuite() {
        delete straight_;
        delete sink_;
        delete request_;
        delete folder_;
    }

    static Ending train(const TrainRequest& request, test::RecordingSink& sink) {
        Mailbox mailbox;
        const auto outcome = test::createEngine()->train(request, sink, mailbox);
        const auto last = sink.all<CheckpointWritten>().back();
        return {last.weightsSha256, last.optimizerSha256, last.stateSha256, outcome.step};
    }

    /// Trains on in a folder of its own from a checkpoint of the straight run, after `change` was made to it.
    static Ending resume(std::int64_t step, const std::function<void(Checkpoint&)>& change = {}) {
        const TemporaryFolder folder;
        fs::copy(*folder_ / "straight", folder / "straight", fs::copy_options::recursive);
        Checkpoint checkpoint = readCheckpoint(folder / "straight/" + checkpointName(step));
        if (change) change(checkpoint);
        TrainRequest request = *request_;
        request.runFolder = folder / "straight";
        // The changed state may name another step; it is written apart so that the run's own folders stay as they are.
        request.resumeFrom =
            folder / "from/" + fs::path(writeCheckpoint(folder / "from", checkpoint).folder).filename().string();
        test::RecordingSink sink;
        return train(request, sink);
    }

    static TrainState stateAt(std::int64_t step) { return readCheckpoint(*folder_ / "straight/" + checkpointName(step)).state; }
    /// The first checkpoint in mid-epoch after the best evaluation: patience is running.
    static std::int64_t middle() {
        std::int64_t step = 4;
        while (step < straight_->step && (stateAt(step).batch == 0 || stateAt(step).withoutImprovement == 0)) step += 4;
        return step;
    }

    static TemporaryFolder* folder_;
    static TrainRequest* request_;
    static test::RecordingSink* sink_;
    static Ending* straight_;
};
TemporaryFolder* Resume::folder_ = nullptr;
TrainRequest* Resume::request_ = nullptr;
test::RecordingSink* Resume::sink_ = nullptr;
Ending* Resume::straight_ = nullptr;

TEST_F(Resume, TheStraightRunCrossesWhatMatters) {
    const auto losses = sink_->metric("valid", "loss");
    ASSERT_GE(losses.size(), 4U) << "epoch borders";
    EXPECT_LT(sink_->metric("train", "loss").back(), sink_->metric("train", "loss").front());
    ASSERT_GT(straight_->step, middle() + 5) << "another epoch border after it";
    const auto state = stateAt(middle());
    EXPECT_GT(state.batch, 0) << "mid-epoch";
    EXPECT_GT(state.withoutImprovement, 0) << "patience is running";
    EXPECT_TRUE(state.best);
    EXPECT_GT(state.sums.labels, 0);
}

TEST_F(Resume, TheTestSplitIsScoredWithTheBestWeights) {
    const TemporaryFolder folder;
    TrainRequest request = *request_;
    request.spec.data.test = request.spec.data.valid;
    request.spec.evaluate.testAtEnd = true;
    request.runFolder = folder / "run";
    test::RecordingSink sink;
    train(request, sink);
    const auto valid = sink.metric("valid", "loss"), test = sink.metric("test", "loss");
    ASSERT_EQ(test.size(), 1U);
    EXPECT_EQ(test[0], *std::min_element(valid.begin(), valid.end()));
    EXPECT_LT(test[0], valid.back()) << "the last ones are worse";
}

// Before: where both were due only the best was recorded, and the regular checkpoint went with it once it was superseded.
// Later: one event for each kind, and a kill between their two commits lost the regular one.
TEST_F(Resume, ARegularCheckpointIsOneAlsoWhereTheBestIs) {
    std::map<std::string, std::vector<std::string>> kinds;  // by folder
    for (const auto& written : sink_->all<CheckpointWritten>()) {
        const std::string name = fs::path(written.folder).filename().string();
        if (written.kinds == std::vector<std::string>{"last"}) continue;
        EXPECT_TRUE(kinds.emplace(name, written.kinds).second) << "two events for " << name;
    }
    bool areBoth = false;
    for (std::int64_t step = 0; step < straight_->step; step += 4) {
        const std::vector<std::string>& found = kinds[checkpointName(step)];
        EXPECT_THAT(found, testing::Contains("step")) << step;
        areBoth = areBoth || found.size() == 2;
    }
    EXPECT_TRUE(areBoth) << "a step at which the best and a regular one are due";
}

TEST_F(Resume, FromEveryCheckpointTheEndIsTheSameToTheLastBit) {
    for (std::int64_t step = 0; step < straight_->step; step += 4) EXPECT_EQ(resume(step), *straight_) << "from step " << step;
}

TEST_F(Resume, EveryOmissionIsNoticed) {
    const auto zero = [](NamedTensors& tensors, const std::string& suffix) {
        for (auto& [name, tensor] : tensors)
            if (name.ends_with(suffix)) tensor.zero_();
    };
    const std::map<std::string, std::function<void(Checkpoint&)>> omissions{
        {"weights", [&](Checkpoint& c) { c.weights = readCheckpoint(*folder_ / "straight/step-0").weights; }},
        {"first moments", [&](Checkpoint& c) { zero(c.optimizer, ".exp_avg"); }},
        {"second moments", [&](Checkpoint& c) { zero(c.optimizer, ".exp_avg_sq"); }},
        {"optimizer step", [&](Checkpoint& c) { c.optimizer.at("step").zero_(); }},
        {"step", [](Checkpoint& c) { c.state.step = 0; }},
        {"epoch", [](Checkpoint& c) { c.state.epoch = 0; }},
        {"batch", [](Checkpoint& c) { c.state.batch = 0; }},
        {"best", [](Checkpoint& c) { c.state.best.reset(); }},
        {"best step", [](Checkpoint& c) { c.state.bestStep = 0; }},
        {"patience", [](Checkpoint& c) { c.state.withoutImprovement = 0; }},
    };
    for (const auto& [name, omit] : omissions)
        EXPECT_NE(resume(middle(), omit), *straight_) << name << " left out, not noticed";
}

TEST_F(Resume, EachAttemptListsTheModulesThatItBuilt) {
    const auto built = sink_->all<ModelBuilt>();
    ASSERT_EQ(built.size(), 1U);
    std::int64_t parameters = 0;
    for (const BuiltModule& module : built.front().modules) {
        EXPECT_FALSE(module.block.empty()) << module.path;
        parameters += module.parameters;
    }
    EXPECT_EQ(parameters, sink_->all<AttemptDescribed>().front().parameters);
    EXPECT_EQ(built.front().modules.front().path, "embed");
    EXPECT_EQ(built.front().modules.back().path, "head");
}

TEST_F(Resume, KeepsThePrecisionOfEarlierAttempts) {
    const TemporaryFolder folder;
    fs::copy(*folder_ / "straight", folder / "straight", fs::copy_options::recursive);
    TrainRequest request = *request_;
    request.runFolder = folder / "straight";
    request.resumeFrom = folder / "straight/" + checkpointName(middle());
    const auto precisionOf = [](const test::RecordingSink& sink) { return sink.all<AttemptDescribed>().back().precision; };
    const auto saysThatItStays = [](const test::RecordingSink& sink) {
        const auto remarks = sink.all<Remark>();
        return std::any_of(remarks.begin(), remarks.end(), [](const Remark& remark) {
            return remark.text.find("matrix products stay in bf16") != std::string::npos;
        });
    };
    EXPECT_EQ(precisionOf(*sink_), "fp32");
    EXPECT_FALSE(saysThatItStays(*sink_));
    request.precision = Precision::BFloat16;  // trained on another device, of which this was the default
    test::RecordingSink kept, stated;
    train(request, kept);
    EXPECT_EQ(precisionOf(kept), "bf16");
    EXPECT_TRUE(saysThatItStays(kept));
    request.precision = Precision::TensorFloat32;
    EXPECT_THROW(train(request, stated), Error) << "a CPU has none";
    request.spec.train.precision = Precision::Float32;
    train(request, stated);
    EXPECT_EQ(precisionOf(stated), "fp32") << "what the spec states holds";
}

TEST_F(Resume, EpochSumsAreCarriedOn) {
    // They end in the "train" means of the epoch, not in the last checkpoint: compared there.
    const auto means = [&](const std::function<void(Checkpoint&)>& change) {
        const TemporaryFolder folder;
        Checkpoint checkpoint = readCheckpoint(*folder_ / "straight/" + checkpointName(middle()));
        change(checkpoint);
        TrainRequest request = *request_;
        request.runFolder = folder / "run";
        request.resumeFrom = folder / writeCheckpoint(folder / "from", checkpoint).folder;
        test::RecordingSink sink;
        train(request, sink);
        return sink.metric("train", "objective").front();
    };
    const double expected = sink_->metric("train", "objective")[static_cast<std::size_t>(middle() / 5)];
    EXPECT_EQ(means([](Checkpoint&) {}), expected);
    EXPECT_NE(means([](Checkpoint& c) { c.state.sums = {}; }), expected);
}

TEST_F(Resume, AStopBeforeAnEvaluationIsMadeUpForAfterTheResume) {
    TrainRequest request = *request_;
    const TemporaryFolder folder;
    request.runFolder = folder / "run";
    Mailbox mailbox;
    test::RecordingSink first;
    first.onEvent = [&](const Event& event) {
        const auto* done = std::get_if<EvaluationDone>(&event.body);
        if (done && done->split == "train" && done->epoch == 2) mailbox.put(StopCommand{"user"});
    };
    const auto outcome = test::createEngine()->train(request, first, mailbox);
    EXPECT_EQ(outcome.state, RunState::Stopped);
    EXPECT_EQ(outcome.step, 10);
    EXPECT_EQ(first.metric("valid", "loss").size(), 1U);
    const Checkpoint last = readCheckpoint(folder / "run/step-10");
    EXPECT_TRUE(last.state.evaluationDue);

    request.resumeFrom = folder / "run/step-10";
    request.attempt = 2;
    test::RecordingSink second;
    EXPECT_EQ(train(request, second), *straight_);
    EXPECT_EQ(second.metric("valid", "loss").front(), sink_->metric("valid", "loss")[1]);
    EXPECT_EQ(second.events.front().attempt, 2);
}

TEST_F(Resume, RefusesOtherDataOrAnotherVariant) {
    const auto refused = [](const char* key) { return [key](Checkpoint& c) { c.identity[key] = "other"; }; };
    for (const char* key : {"variant_hash", "data_hashes", "tokenizer_hashes"})
        EXPECT_THROW(resume(middle(), refused(key)), Error) << key;
    EXPECT_THROW(resume(middle(), [](Checkpoint& c) { c.weights.erase(c.weights.begin()); }), Error);
}

}  // namespace
}  // namespace heddle
