// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/recorder.h"

#include "engine/base/error.h"
#include "tests/eventually.h"
#include "tests/unit/app/session/fake_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

/// A disk that fails while it is told to.
struct Disk {
    std::atomic<bool> full = false;        ///< nothing can be committed
    std::atomic<bool> isLogStuck = false;  ///< the write-ahead log has room, the database file has not
    std::atomic<bool> syncFails = false;   ///< durable commits are not confirmed
    std::atomic<int> failedCommits = 0, fullCommits = 0, normalCommits = 0;

    bool isFailing(storage::RunStore::Access access) {
        using Access = storage::RunStore::Access;
        if (access == Access::Sync) return syncFails;
        if (access == Access::Checkpoint) return isLogStuck;
        ++(full ? failedCommits : access == Access::DurableCommit ? fullCommits : normalCommits);
        return full;
    }
};

class RecorderTest : public testing::Test {
protected:
    RecorderTest() { open({}); }

    void open(Recorder::Options options, Recorder::Handlers handlers = {}) {
        recorder_.reset();
        options.commitEvery = options.retryEvery = options.walEvery = 10ms;
        const auto isFailing = [disk = disk_](storage::RunStore::Access access) { return disk->isFailing(access); };
        recorder_ =
            std::make_unique<Recorder>(storage::RunStore::open(file_, {"test", 0, isFailing}), std::move(handlers), options);
        recorder_->start();
    }
    /// A run in state running, attempt 1.
    void beginRun(AttemptStart start = {}) {
        storage::RunRecord run;
        run.id = kRun;
        run.state = "queued";
        run.spec = "{}";
        start.attempt.run = kRun;
        start.attempt.attempt = 1;
        recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
            ledger.addRun(store, run);
            ledger.beginAttempt(store, start);
        });
        say(0, StateChanged{RunState::Running, ""});
    }
    EventSink::Pressure say(std::int64_t step, EventBody body) {
        return recorder_->emit({kRun, 1, step, static_cast<double>(step), std::move(body)});
    }
    static StepBlock loss(std::int64_t step, float value) { return {{{"loss", "", step, 1, {value}, true}}}; }
    std::unique_ptr<storage::RunQuery> query() { return storage::RunQuery::open(file_); }
    std::vector<std::string> texts(const std::string& kind) {
        std::vector<std::string> found;
        for (const auto& event : query()->events(kRun))
            if (event.kind == kind) found.push_back(event.text);
        return found;
    }

    static constexpr const char* kRun = "0123456789ab";
    TemporaryFolder folder_;
    std::string file_ = folder_ / "t.heddle";
    std::shared_ptr<Disk> disk_ = std::make_shared<Disk>();
    std::unique_ptr<Recorder> recorder_;
};

TEST_F(RecorderTest, EveryKindOfEventBecomesRows) {
    beginRun();
    say(1, loss(1, 3));
    say(2, loss(2, 2));
    say(2, EvaluationDone{1, "valid", {{"loss", 2.5, "ce", 10}, {"bleu", 20, "sig", 5}}, 0.5});
    say(2, HistogramTaken{"gate", "encoder.layers.0", 0, 1, {1, 2, 3}, 0, 0, 0, 0.5, 0.1, 0, 1});
    say(2, MapTaken{"weight", "encoder.layers.0.self", 0, 1, 2, 2, {0, 1, 0.5F, 0.5F}, {"a", "b"}, {"a", "b"}});
    say(2, SampleText{0, "a", "b", "c"});
    AttemptDescribed described;
    described.device = "cpu";
    described.threads = 2;
    described.totalSteps = 7;
    described.runHash = "h";
    say(2, described);
    say(2, FirstStepDone{0.5});
    say(2, MemoryMeasured{4096});
    say(2, Failure{1, "what", "where", "safe", "next"});
    ASSERT_TRUE(recorder_->waitCommitted(5s));

    const auto q = query();
    const auto run = q->run(kRun).value();
    EXPECT_EQ(run.state, "running");
    EXPECT_EQ(run.step, 2);
    EXPECT_EQ(run.epoch, 1);
    EXPECT_EQ(run.totalSteps, 7);
    EXPECT_EQ(run.runHash, "h");
    EXPECT_EQ(run.seconds, 2);
    EXPECT_THAT(q->points(kRun, "loss", "", 0, 100), SizeIs(2));
    EXPECT_THAT(q->evaluations(kRun), SizeIs(2));
    EXPECT_THAT(q->histogramIndex(kRun), SizeIs(1));
    EXPECT_THAT(q->mapIndex(kRun), SizeIs(1));
    EXPECT_THAT(q->samples(kRun), SizeIs(1));
    const auto attempt = q->attempts(kRun).at(0);
    EXPECT_EQ(attempt.device, "cpu");
    EXPECT_EQ(attempt.threads, 2);
    EXPECT_EQ(attempt.peakBytes, 4096);
    const Json context = Json::parse(attempt.context);
    EXPECT_EQ(context.at("total_steps"), 7) << "what views read of an attempt";
    EXPECT_EQ(context.at("first_step_seconds"), 0.5);
    EXPECT_THAT(texts("failure"), Contains("what"));
}

TEST_F(RecorderTest, AForbiddenChangeOfStateIsRefusedAndSaid) {
    beginRun();
    say(1, StateChanged{RunState::Completed, ""});
    say(1, StateChanged{RunState::Paused, ""});
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_EQ(query()->run(kRun)->state, "completed");
    EXPECT_THAT(texts("warning"), Contains(HasSubstr("cannot change from completed to paused")));
    EXPECT_THROW(recorder_->write([](Ledger& ledger, storage::RunStore& store) {
        ledger.changeState(store, kRun, {RunState::Running, ""});
    }),
                 Error);
    EXPECT_EQ(recorder_->stateOf(kRun), RunState::Completed);
}

TEST_F(RecorderTest, StateIsCommittedDurablyAndAtOnceTelemetryIsNot) {
    Recorder::Options slow;
    beginRun();
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    const int before = disk_->normalCommits;
    const int durable = disk_->fullCommits;
    say(1, loss(1, 3));
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_EQ(disk_->normalCommits, before + 1);
    say(1, StateChanged{RunState::Paused, "user"});
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_EQ(disk_->fullCommits, durable + 1);
}

TEST_F(RecorderTest, AFullDiskLosesNothingAsksForAPauseAndGoesOnByItself) {
    beginRun();
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    disk_->full = true;
    for (int step = 1; step <= 50; ++step) say(step, loss(step, 1.0F / static_cast<float>(step)));
    ASSERT_TRUE(eventually([&] { return recorder_->pressure() == EventSink::Pressure::Pause; }));
    EXPECT_THAT(recorder_->problem(), HasSubstr("full"));
    EXPECT_EQ(say(50, StateChanged{RunState::Paused, "recorder"}), EventSink::Pressure::Pause);
    EXPECT_EQ(query()->run(kRun)->state, "running") << "nothing of a failed transaction is visible";
    disk_->full = false;
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_EQ(recorder_->pressure(), EventSink::Pressure::None);
    EXPECT_EQ(recorder_->problem(), "");
    EXPECT_THAT(query()->points(kRun, "loss", "", 0, 100), SizeIs(50));
    EXPECT_EQ(query()->run(kRun)->state, "paused");
}

TEST_F(RecorderTest, AnAnswerThatTheDiskRefusesIsWrittenLaterAndEndsNothing) {
    constexpr std::int64_t kRequest = 17;
    Recorder::Handlers handlers;
    handlers.committed = [&](const Event& event) {
        if (!std::holds_alternative<Answer>(event.body)) return;
        disk_->full = true;
        recorder_->answer(kRequest, true, "42");
    };
    open({}, handlers);
    beginRun();
    say(1, Answer{1, true, 42});
    ASSERT_TRUE(eventually([&] { return disk_->failedCommits > 1 && !recorder_->problem().empty(); }));
    EXPECT_EQ(storage::readAnswer(file_, kRequest), std::nullopt);
    EXPECT_THAT(recorder_->problem(), HasSubstr("full"));
    disk_->full = false;
    EXPECT_TRUE(eventually([&] { return storage::readAnswer(file_, kRequest) == std::pair(true, std::string("42")); }));
    say(2, loss(2, 1));
    EXPECT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_EQ(recorder_->problem(), "");
}

TEST_F(RecorderTest, WhatAHandlerThrowsIsRecordedAndEndsNothing) {
    Recorder::Handlers handlers;
    handlers.committed = [](const Event& event) {
        if (std::holds_alternative<Answer>(event.body)) throw std::runtime_error("the asker's own fault");
    };
    open({}, handlers);
    beginRun();
    say(1, Answer{1, true, 42});
    EXPECT_TRUE(eventually([&] { return !texts("warning").empty(); }));
    EXPECT_THAT(texts("warning"), Contains(HasSubstr("the asker's own fault")));
}

TEST_F(RecorderTest, ACommitThatTheDiskDoesNotConfirmPausesTrainingAndLeavesATrace) {
    beginRun();
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    const EvaluationDone urgent{1, "valid", {{"loss", 2.5, "ce", 10}}, 0};
    disk_->syncFails = true;
    say(1, loss(1, 3));
    say(1, urgent);
    ASSERT_TRUE(recorder_->waitCommitted(5s)) << "it is committed";
    EXPECT_EQ(recorder_->pressure(), EventSink::Pressure::Pause);
    EXPECT_NE(recorder_->problem(), "");
    EXPECT_NO_THROW(recorder_->write([](Ledger& ledger, storage::RunStore& store) {
        ledger.note(store, {kRun, "edited", 1});
    })) << "the edit is there";
    EXPECT_THAT(texts("note"), Contains("edited"));
    disk_->syncFails = false;
    ASSERT_TRUE(eventually([&] { return recorder_->pressure() == EventSink::Pressure::None && recorder_->problem().empty(); }));
    EXPECT_THAT(texts("warning"), Contains(HasSubstr("fsync")));
    EXPECT_THAT(query()->points(kRun, "loss", "", 0, 100), SizeIs(1)) << "and not twice";
    disk_->syncFails = true;
    say(2, urgent);
    EXPECT_THAT(recorder_->close(100ms), HasSubstr("power failure"));
}

TEST_F(RecorderTest, ALogThatCannotBeEmptiedAsksForAPauseThoughCommitsSucceed) {
    disk_->isLogStuck = true;
    beginRun();
    ASSERT_TRUE(eventually([&] { return recorder_->pressure() == EventSink::Pressure::Pause; }));
    EXPECT_THAT(recorder_->problem(), HasSubstr("full"));
    for (int step = 1; step <= 20; ++step) say(step, loss(step, 1));
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_EQ(recorder_->pressure(), EventSink::Pressure::Pause) << "a commit that succeeds does not make room";
    EXPECT_THAT(recorder_->problem(), HasSubstr("full"));
    disk_->isLogStuck = false;
    EXPECT_TRUE(eventually([&] { return recorder_->pressure() == EventSink::Pressure::None && recorder_->problem().empty(); }));
    EXPECT_THAT(query()->points(kRun, "loss", "", 0, 100), SizeIs(20));
}

TEST_F(RecorderTest, WhatDoesNotFitIsAGapAndTheRestIsKept) {
    Recorder::Options small;
    small.queueBytes = 4096;
    open(small);
    beginRun();
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    disk_->full = true;
    for (int step = 1; step <= 100; ++step) say(step, loss(step, 1));
    say(100, EvaluationDone{1, "valid", {{"loss", 2.5, "ce", 10}}, 0});
    disk_->full = false;
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    const auto kept = query()->points(kRun, "loss", "", 0, 1000).size();
    EXPECT_GT(kept, 0U);
    EXPECT_LT(kept, 100U);
    EXPECT_THAT(query()->evaluations(kRun), SizeIs(1));
    EXPECT_THAT(texts("gap"), Contains(HasSubstr("records of steps")));
}

TEST_F(RecorderTest, OneRecordThatCannotBeStoredDoesNotHoldUpTheOthers) {
    beginRun();
    say(5, loss(5, 1));
    say(6, loss(3, 1));  // steps of a series must grow
    say(7, loss(7, 1));
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_THAT(query()->points(kRun, "loss", "", 0, 100), SizeIs(2));
    EXPECT_THAT(texts("warning"), Contains(HasSubstr("could not be stored")));
}

TEST_F(RecorderTest, OldCheckpointsGoAfterTheRowsOfNewOnesAreCommitted) {
    AttemptStart start;
    start.keepLast = 2;
    beginRun(start);
    const std::string runFolder = file_ + ".d/" + kRun;
    for (const int step : {0, 10, 20, 30}) {
        std::vector<std::string> kinds{"step"};
        if (step == 10) kinds.emplace_back("best");
        say(step, writeFakeCheckpoint(runFolder, step, kinds));
    }
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    recorder_.reset();
    EXPECT_FALSE(std::filesystem::exists(runFolder + "/step-0"));
    EXPECT_TRUE(std::filesystem::exists(runFolder + "/step-10")) << "the best one stays";
    EXPECT_TRUE(std::filesystem::exists(runFolder + "/step-20"));
    EXPECT_TRUE(std::filesystem::exists(runFolder + "/step-30"));
    std::vector<std::string> rows;
    for (const auto& c : query()->checkpoints(kRun)) rows.push_back(c.kind + std::to_string(c.step));
    EXPECT_THAT(rows, testing::UnorderedElementsAre("best10", "step20", "step30"));
    for (const auto& entry : std::filesystem::directory_iterator(runFolder))
        EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
}

TEST_F(RecorderTest, OldCheckpointsBehindALinkStayWhereTheyAre) {
    const std::string outside = folder_ / "outside", runFolder = file_ + ".d/" + kRun;
    std::filesystem::create_directories(outside);
    std::filesystem::create_directories(file_ + ".d");
    std::filesystem::create_directory_symlink(outside, runFolder);
    AttemptStart start;
    start.keepLast = 1;
    beginRun(start);
    for (const int step : {0, 10}) say(step, writeFakeCheckpoint(runFolder, step, {"step"}));
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    const auto isTold = [&] { return recorder_->problem().find("is a link, which is not followed") != std::string::npos; };
    EXPECT_TRUE(eventually(isTold)) << recorder_->problem();
    EXPECT_TRUE(std::filesystem::exists(outside + "/step-0/weights.safetensors"));
}

TEST_F(RecorderTest, MapsOverTheirBoundAreThinnedAndItIsSaid) {
    AttemptStart start;
    start.maxMib = 0.05;
    beginRun(start);
    for (int step = 1; step <= 40; ++step) {
        MapTaken map{"weight", "encoder.layers.0.self", 0, 1, 64, 64, {}, {}, {}};
        for (int i = 0; i < 64 * 64; ++i) map.values.push_back(static_cast<float>((i * 7919 + step * 104729) % 1000) / 1000.0F);
        map.rowTokens.assign(64, "a");
        map.columnTokens.assign(64, "b");
        say(step, std::move(map));
    }
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    const auto left = query()->mapIndex(kRun);
    EXPECT_GT(left.size(), 1U);
    EXPECT_LT(left.size(), 40U);
    EXPECT_EQ(left.back().step, 40);
    EXPECT_THAT(texts("gap"), Contains(HasSubstr("attention maps were over")));
}

TEST_F(RecorderTest, WhatIsCommittedNoLongerPresses) {
    Recorder::Options small;
    small.queueBytes = 4096;
    open(small);
    beginRun();
    for (int step = 1; step <= 200; ++step) {
        say(step, loss(step, 1));
        ASSERT_TRUE(recorder_->waitCommitted(5s));
    }
    EXPECT_EQ(recorder_->pressure(), EventSink::Pressure::None) << "several capacities went through";
    EXPECT_THAT(query()->points(kRun, "loss", "", 0, 1000), SizeIs(200));
    EXPECT_THAT(texts("gap"), SizeIs(0));
}

TEST_F(RecorderTest, AnUrgentEventMakesTheWholeBatchDurable) {
    beginRun();
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    const int durable = disk_->fullCommits;
    disk_->full = true;  // until it is over, all that is said becomes one batch
    say(1, StateChanged{RunState::Paused, "user"});
    for (int step = 1; step <= 10; ++step) say(step, loss(step, 1));
    ASSERT_TRUE(eventually([&] { return disk_->failedCommits > 0; }));
    disk_->full = false;
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_GT(disk_->fullCommits, durable);
}

TEST_F(RecorderTest, TheSecondsOfAllAttemptsAddUp) {
    beginRun();
    say(5, StateChanged{RunState::Stopping, "user"});
    say(5, StateChanged{RunState::Stopped, "user"});
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    AttemptStart second;
    second.attempt.run = kRun;
    second.attempt.attempt = 2;
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        ledger.changeState(store, kRun, {RunState::Queued, "resume"});
        ledger.beginAttempt(store, second);
    });
    recorder_->emit({kRun, 2, 8, 0, StateChanged{RunState::Running, ""}});
    recorder_->emit({kRun, 2, 8, 3, StepBlock{{{"loss", "", 8, 1, {1}, true}}}});
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    EXPECT_EQ(query()->run(kRun)->seconds, 8);
    EXPECT_EQ(query()->attempts(kRun).at(0).seconds, 5);
    EXPECT_EQ(query()->attempts(kRun).at(1).seconds, 3);
}

TEST_F(RecorderTest, ClosingWritesWhatIsQueued) {
    beginRun();
    for (int step = 1; step <= 1000; ++step) say(step, loss(step, 1));
    EXPECT_EQ(recorder_->close(5s), "");
    EXPECT_THAT(query()->points(kRun, "loss", "", 0, 2000), SizeIs(1000));
    EXPECT_THROW(recorder_->write([](Ledger&, storage::RunStore&) {}), Error);
}

TEST_F(RecorderTest, ClosingOnAFullDiskGivesUpAndSaysHowMuch) {
    beginRun();
    ASSERT_TRUE(recorder_->waitCommitted(5s));
    disk_->full = true;
    say(1, loss(1, 1));
    say(2, loss(2, 1));
    EXPECT_THAT(recorder_->close(200ms), HasSubstr("2 records could not be written"));
}

}  // namespace
}  // namespace heddle::app
