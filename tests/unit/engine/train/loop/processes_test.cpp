// SPDX-License-Identifier: Apache-2.0
// A run that several processes train, here as threads of one.
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "tests/unit/engine/parallel/ranks.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace heddle {
namespace {

using testing::HasSubstr;

/// What the threads of a run ended with.
struct Together {
    test::RecordingSink sink;
    std::vector<std::string> problems;  ///< by rank; empty: none
    std::vector<RunState> ends;

    std::string weights() const { return sink.all<CheckpointWritten>().back().weightsSha256; }
};

using Change = std::function<void(JoinRequest&)>;

/// Trains with `size` processes; `change` is made to what the others ask for, `mailbox` is that of rank 0.
void train(const TrainRequest& request, int size, Together& together, Mailbox& mailbox, const Change& change = {}) {
    const auto places = test::newPlaces(size);
    together.problems.resize(static_cast<std::size_t>(size));
    together.ends.resize(static_cast<std::size_t>(size));
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < places.size(); ++rank)
        threads.emplace_back([&, rank] {
            try {
                if (rank == 0) {
                    TrainRequest own = request;
                    own.processes = places[rank];
                    together.ends[rank] = test::createEngine()->train(own, together.sink, mailbox).state;
                    return;
                }
                JoinRequest join{places[rank], request.spec, request.cacheFolder};
                if (change) change(join);
                Mailbox none;
                together.ends[rank] = test::createEngine()->join(join, none).state;
            } catch (const Error& error) {
                together.problems[rank] = error.what();
            }
        });
}

void train(const TrainRequest& request, int size, Together& together, const Change& change = {}) {
    Mailbox mailbox;
    train(request, size, together, mailbox, change);
}

/// Seven batches an epoch in steps of two: the last step of an epoch has one, which leaves the other process without work.
RunSpec smallSpec(const TemporaryFolder& folder) {
    RunSpec spec = test::toySpec(folder.path(), test::toyPairs(27), test::toyPairs(9));
    spec.train.accumulate = 2;
    spec.train.threads = 1;
    spec.train.epochs = 3;
    spec.train.checkpointEvery = 3;
    spec.record.probes = 0;
    return spec;
}

TEST(Processes, TwoTrainToTheWeightsOfOneBitForBit) {
    const TemporaryFolder folder;
    const RunSpec spec = smallSpec(folder);
    Together alone, both;
    train(test::toyRequest(spec, folder.path(), "alone"), 1, alone);
    train(test::toyRequest(spec, folder.path(), "both"), 2, both);
    EXPECT_THAT(both.problems, testing::Each(""));
    EXPECT_EQ(both.weights(), alone.weights());
    EXPECT_EQ(both.sink.series("loss"), alone.sink.series("loss"));
    EXPECT_EQ(both.sink.metric("valid", "loss"), alone.sink.metric("valid", "loss"));
    EXPECT_EQ(both.ends, (std::vector{RunState::Completed, RunState::Completed}));
}

TEST(Processes, ATiedTableIsSummedAsInOneProcess) {
    const TemporaryFolder folder;
    RunSpec spec = smallSpec(folder);
    Json document = spec.toJson();
    document["variant"]["embed"]["source"] = "tied_out";
    spec = RunSpec::parse(document, builtinCatalogue());
    Together alone, both;
    train(test::toyRequest(spec, folder.path(), "alone"), 1, alone);
    train(test::toyRequest(spec, folder.path(), "both"), 2, both);
    EXPECT_THAT(both.problems, testing::Each(""));
    EXPECT_EQ(both.weights(), alone.weights());
}

TEST(Processes, MuonTrainsAndResumesAsInOneProcess) {
    const TemporaryFolder folder;
    RunSpec spec = smallSpec(folder);
    spec.train.optimizer = OptimizerKind::Muon;
    spec.train.groups = {{"matrices", 10, 1}, {"vectors", 1, 0}};
    Together alone, both, resumed;
    train(test::toyRequest(spec, folder.path(), "alone"), 1, alone);
    TrainRequest request = test::toyRequest(spec, folder.path(), "both");
    train(request, 2, both);
    EXPECT_THAT(both.problems, testing::Each(""));
    EXPECT_EQ(both.weights(), alone.weights());
    request.attempt = 2;
    request.resumeFrom = request.runFolder + "/step-3";
    train(request, 2, resumed);
    EXPECT_THAT(resumed.problems, testing::Each(""));
    EXPECT_EQ(resumed.weights(), alone.weights());
}

TEST(Processes, AResumedRunGoesOnExactly) {
    const TemporaryFolder folder;
    const TrainRequest request = test::toyRequest(smallSpec(folder), folder.path(), "run");
    Together first, second;
    train(request, 2, first);
    TrainRequest again = request;
    again.attempt = 2;
    again.resumeFrom = request.runFolder + "/step-3";
    train(again, 2, second);
    EXPECT_THAT(second.problems, testing::Each(""));
    EXPECT_EQ(second.weights(), first.weights());
}

TEST(Processes, AStopEndsAllAtOneStep) {
    const TemporaryFolder folder;
    RunSpec spec = smallSpec(folder);
    spec.train.epochs = 1000;
    Together both;
    Mailbox mailbox;
    both.sink.onEvent = [&](const Event& event) {
        if (std::holds_alternative<FirstStepDone>(event.body)) mailbox.put(StopCommand{"user"});
    };
    train(test::toyRequest(spec, folder.path(), "run"), 2, both, mailbox);
    EXPECT_THAT(both.problems, testing::Each(""));
    EXPECT_EQ(both.ends, (std::vector{RunState::Stopped, RunState::Stopped}));
}

TEST(Processes, APauseHoldsAllAndChangesNothing) {
    const TemporaryFolder folder;
    const RunSpec spec = smallSpec(folder);
    Together paused, other;
    Mailbox mailbox;
    std::jthread later;
    paused.sink.onEvent = [&](const Event& event) {
        if (!std::holds_alternative<FirstStepDone>(event.body)) return;
        mailbox.put(PauseCommand{"user"});
        later = std::jthread([&mailbox] {
            std::this_thread::sleep_for(std::chrono::milliseconds(600));  // longer than two signs of life
            mailbox.put(ResumeCommand{"user"});
        });
    };
    train(test::toyRequest(spec, folder.path(), "paused"), 2, paused, mailbox);
    train(test::toyRequest(spec, folder.path(), "other"), 2, other);
    EXPECT_THAT(paused.problems, testing::Each(""));
    const auto states = paused.sink.all<StateChanged>();
    EXPECT_TRUE(
        std::any_of(states.begin(), states.end(), [](const StateChanged& one) { return one.state == RunState::Paused; }));
    EXPECT_EQ(paused.weights(), other.weights());
}

TEST(Processes, OthersAreRefusedAtTheStart) {
    const TemporaryFolder folder;
    const TrainRequest request = test::toyRequest(smallSpec(folder), folder.path(), "run");
    Together seed;
    train(request, 2, seed, [](JoinRequest& join) { join.spec->seed = 77; });
    EXPECT_THAT(seed.problems, testing::Each(HasSubstr("do not agree: spec")));
    Together few;
    TrainRequest one = request;
    one.spec.train.accumulate = 1;
    train(one, 2, few);
    EXPECT_THAT(few.problems, testing::Each(HasSubstr("fewer micro-batches than there are processes")));
}

TEST(Processes, AFailureOfOneEndsAllWithItsReason) {
    const TemporaryFolder folder;
    TrainRequest request = test::toyRequest(smallSpec(folder), folder.path(), "run");
    request.spec.train.lr = 100;  // all of them parse the spec, which may have no larger one
    request.spec.train.schedule = ScheduleKind::Constant;
    request.spec.train.weightDecay = 10;  // each step multiplies the weights by 1 − 100 · 10
    request.spec.train.epochs = 20;
    request.spec.train.clip = 0;
    Together both;
    train(request, 2, both);
    EXPECT_THAT(both.problems, testing::Each(HasSubstr("not a finite number")));
}

}  // namespace
}  // namespace heddle
