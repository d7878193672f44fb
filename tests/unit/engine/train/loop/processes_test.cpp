// SPDX-License-Identifier: Apache-2.0
// A run that several processes train, here as threads of one.
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "tests/unit/engine/parallel/ranks.h"
#include "tests/unit/engine/train/train_support.h"

#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

namespace heddle {
namespace {

using testing::AllOf;
using testing::Each;
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
    EXPECT_THAT(both.problems, Each(""));
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
    EXPECT_THAT(both.problems, Each(""));
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
    EXPECT_THAT(both.problems, Each(""));
    EXPECT_EQ(both.weights(), alone.weights());
    request.attempt = 2;
    request.resumeFrom = request.runFolder + "/step-3";
    train(request, 2, resumed);
    EXPECT_THAT(resumed.problems, Each(""));
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
    EXPECT_THAT(second.problems, Each(""));
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
    EXPECT_THAT(both.problems, Each(""));
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
    EXPECT_THAT(paused.problems, Each(""));
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
    EXPECT_THAT(seed.problems,
                Each(AllOf(HasSubstr("do not agree: spec /seed 77, but process 0 has"), HasSubstr("process 1"))));
    Together few;
    TrainRequest one = request;
    one.spec.train.accumulate = 1;
    train(one, 2, few);
    EXPECT_THAT(few.problems, Each(HasSubstr("fewer micro-batches than there are processes")));
}

/// Why rank 0 of two does not train beside a process that says these texts, one after the other, and goes.
std::string problemBeside(const TrainRequest& request, const std::vector<std::string>& texts) {
    const auto places = test::newPlaces(2);
    const std::jthread other([&] {
        const auto group = joinGroup(places[1]);
        for (const std::string& text : texts) group->exchange(text);
    });
    TrainRequest own = request;
    own.processes = places[0];
    test::RecordingSink sink;
    Mailbox mailbox;
    try {
        test::createEngine()->train(own, sink, mailbox);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidInput);
        EXPECT_TRUE(sink.series("loss").empty());
        return error.what();
    }
    return "";
}

TEST(Processes, OtherVersionsAndDataAreRefusedByName) {
    const TemporaryFolder folder;
    const TrainRequest request = test::toyRequest(smallSpec(folder), folder.path(), "run");
    const auto isNamed = [](const std::string& fact) {
        return AllOf(HasSubstr("do not agree: " + fact), HasSubstr(", but process 0 has "), HasSubstr("process 1"));
    };
    for (const std::string fact : {"program", "build", "LibTorch"})
        EXPECT_THAT(problemBeside(request, {Json{{fact, "0.0.1"}}.dump()}), isNamed(fact + " \"0.0.1\""));
    const auto prepared = [&](const Json& facts) { return problemBeside(request, {"{}", "", facts.dump()}); };
    for (const std::string fact : {"data", "tokenizers"})
        EXPECT_THAT(prepared({{fact, {"0", "1"}}}), isNamed(fact + " /0 \"0\""));
    for (const std::string fact : {"parameters", "threads", "steps of an epoch"})
        EXPECT_THAT(prepared({{fact, 1234567}}), isNamed(fact + " 1234567"));
    EXPECT_THAT(prepared({{"instructions", "another"}}), HasSubstr("use machines with equal processors"));
    EXPECT_THAT(prepared({{"data", {"0", "1"}}}), HasSubstr("give all processes the same data files"));
    EXPECT_EQ(prepared({{"failed", {{"code", 3}, {"what", "no file"}, {"next", "look for it"}}}}),
              "no file (process 1): look for it");
}

std::atomic<int> readsBeforeTheFault = -1;

/// Before a linear map runs: adds 1 to the first number of the weight that it reads, if it is the one that is to be faulty.
/// What other operators read may be a copy, or be read before the training.
std::unique_ptr<at::ObserverContext> damageAWeight(const at::RecordFunction& operation) {
    if (std::string_view(operation.name()) != "aten::linear" || readsBeforeTheFault < 0) return nullptr;
    const at::Tensor& weight = operation.inputs()[1].toTensor();  // the input may be a leaf with a gradient, too
    const bool isParameter = weight.is_leaf() && weight.requires_grad();
    if (isParameter && readsBeforeTheFault-- == 0) *static_cast<float*>(weight.mutable_data_ptr()) += 1;
    return nullptr;
}

/// On this thread, a weight changes by itself after linear maps have read so many weights: what faulty memory does.
void letAWeightChange(int reads) {
    readsBeforeTheFault = reads;
    at::addThreadLocalCallback(at::RecordFunctionCallback(damageAWeight).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}

TEST(Processes, AProcessWithOtherWeightsEndsAllAndIsNamed) {
    const TemporaryFolder folder;
    RunSpec spec = smallSpec(folder);
    spec.train.epochs = 0;
    spec.train.steps = 220;
    spec.evaluate.everyEpochs = 0;
    spec.train.checkpointEvery = 1000;
    Together both;
    train(test::toyRequest(spec, folder.path(), "run"), 2, both, [](JoinRequest&) { letAWeightChange(200); });
    EXPECT_EQ(readsBeforeTheFault, -1) << "there was no fault";
    EXPECT_THAT(both.problems[0], AllOf(HasSubstr("processes have trained to different weights"), HasSubstr("process 1, step "),
                                        HasSubstr("00)"), HasSubstr("heddle resume")));
    EXPECT_THAT(both.problems[1], HasSubstr("processes have trained to different weights"));
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
    EXPECT_THAT(both.problems, Each(HasSubstr("not a finite number")));
}

}  // namespace
}  // namespace heddle
