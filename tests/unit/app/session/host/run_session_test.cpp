// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/run_session.h"

#include "app/session/runs/find_run.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;
using testing::UnorderedElementsAre;

class RunSessionTest : public testing::Test, protected SessionFixture {};

TEST_F(RunSessionTest, ARunGoesThroughItsStatesAndEveryOneIsRecorded) {
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 30));
    EXPECT_EQ(run.size(), 12U);
    ASSERT_TRUE(ends(*session, run));
    EXPECT_EQ(session->ended(run)->state, RunState::Completed);
    EXPECT_THAT(texts(run, "state"), ElementsAre("queued", "preparing", "running", "completed"))
        << "a completed run needs no stopping";
    const auto record = query()->run(run).value();
    EXPECT_EQ(record.name, "base");
    EXPECT_EQ(record.step, 30);
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.variantHash.size(), 64U);
    const auto attempt = query()->attempts(run).at(0);
    EXPECT_EQ(attempt.torch, "fake");
    EXPECT_EQ(attempt.host.empty(), false);
    EXPECT_EQ(attempt.program, HEDDLE_VERSION);
    EXPECT_GT(attempt.peakBytes, 0);
    EXPECT_EQ(attempt.replay, "");
}

TEST_F(RunSessionTest, ARunOnComputedDataIsTaggedSynthetic) {
    const auto session = open();
    RunSpec spec = smallSpec("copies", 5);
    spec.data.format = "generated/copy";
    const auto computed = session->submit(spec, RunLabels{"", {"mine"}}), read = session->submit(smallSpec("base", 5));
    EXPECT_THAT(query()->run(computed)->tags, ElementsAre("mine", storage::kSyntheticTag));
    EXPECT_TRUE(query()->run(read)->tags.empty());
}

TEST_F(RunSessionTest, ARunThatStartsFromAnotherNamesIt) {
    const auto session = open();
    const auto parent = session->submit(smallSpec("base", 5));
    RunSpec spec = smallSpec("on", 5);
    spec.train.start.checkpoint = storage::artifactFolder(file_) + "/" + parent + "/checkpoints/step-5";
    const auto child = session->submit(spec);
    spec.train.start.checkpoint = folder_ / "elsewhere/checkpoints/step-5";
    const auto stranger = session->submit(spec);
    EXPECT_EQ(query()->run(child)->lineage, parent);
    EXPECT_EQ(query()->run(parent)->lineage, "");
    EXPECT_EQ(query()->run(stranger)->lineage, "");
}

TEST_F(RunSessionTest, PauseResumeStopAndCheckpoint) {
    engine_->stepMilliseconds = 2;
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 100000));
    ASSERT_TRUE(reaches(run, "running"));
    session->command(run, RunVerb::Pause, "user");
    ASSERT_TRUE(reaches(run, "paused"));
    // The database shows a state a moment before the session that recorded it knows.
    EXPECT_TRUE(eventually([&] { return isRefused([&] { session->command(run, RunVerb::Pause, "user"); }); }))
        << "the table forbids it";
    session->command(run, RunVerb::Resume, "user");
    ASSERT_TRUE(reaches(run, "running"));
    EXPECT_THROW(session->command(run, RunVerb::Delete, "user"), Error);
    session->command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(run, "stopped"));
    EXPECT_THAT(texts(run, "state"), ElementsAre("queued", "preparing", "running", "paused", "running", "stopping", "stopped"));
}

TEST_F(RunSessionTest, AStoppedRunResumesFromItsCheckpoint) {
    engine_->stepMilliseconds = 1;
    auto session = open();
    const auto run = session->submit(smallSpec("base", 60));
    ASSERT_TRUE(eventually([&] { return query()->run(run)->step >= 15; }));
    session->command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, run));
    const auto stoppedAt = query()->run(run)->step;
    session->resume(run);
    ASSERT_TRUE(reaches(run, "completed"));
    EXPECT_EQ(engine_->trainedFrom, stoppedAt);
    EXPECT_EQ(query()->attempts(run).at(1).replay, "nothing to compare");
    EXPECT_EQ(query()->run(run)->step, 60);
}

TEST_F(RunSessionTest, ACompletedRunIsNotResumed) {
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 5));
    ASSERT_TRUE(ends(*session, run));
    const auto refusal = [&](const std::function<void()>& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Usage);
            return error.problem() + "; " + error.next();
        }
        return "none";
    };
    EXPECT_THAT(refusal([&] { session->resume(run); }),
                AllOf(HasSubstr("complete"), HasSubstr("heddle resume " + run + " --epochs N")));
    EXPECT_NE(refusal([&] { session->command(run, RunVerb::Start, "user"); }), "none");
    EXPECT_EQ(stateOf(run), "completed");
    EXPECT_EQ(query()->attempts(run).size(), 1U);
}

/// What kill -9 leaves behind: the state stays, and steps beyond the newest checkpoint are recorded.
std::string killedRun(const std::string& file, const std::string& run, std::int64_t checkpointAt, std::int64_t steps) {
    auto store = storage::RunStore::open(file, {"doomed", 0});
    store->begin();
    storage::RunRecord record = killedRecord(run);
    record.step = steps;
    store->addRun(record);
    store->addAttempt({run, 1, 0, 1, 0, "cpu", "host", "0", "fake", 1, R"({"precision":"bf16"})", 0, "", 0});
    for (const auto step : {std::int64_t{0}, checkpointAt}) {
        const auto c = writeFakeCheckpoint(storage::artifactFolder(file) + "/" + run, step, {"step"});
        store->add(storage::CheckpointRecord{run, 1, step, "step", c.folder, c.weightsSha256, c.optimizerSha256, c.stateSha256,
                                             c.bytes});
    }
    storage::SeriesAppend loss{run, 1, "loss", "", 1, 1, {}, true};
    for (std::int64_t step = 1; step <= steps; ++step) loss.values.push_back(10.0F / static_cast<float>(step + 1));
    store->append(loss);
    store->commit(storage::RunStore::Durability::Full);
    return run;
}

TEST_F(RunSessionTest, WhatADeadOwnerLeftIsInterruptedAndItsResumeIsVerified) {
    const auto run = killedRun(file_, "00000000000a", 20, 27);
    const auto session = open();
    EXPECT_EQ(stateOf(run), "interrupted");
    session->resume(run);
    ASSERT_TRUE(reaches(run, "completed"));
    EXPECT_EQ(engine_->trainedFrom, 20);
    const auto attempt = query()->attempts(run).at(1);
    EXPECT_EQ(attempt.replay, "equal");
    EXPECT_EQ(attempt.replayedSteps, 7);
    EXPECT_EQ(attempt.firstStep, 20);
    EXPECT_THAT(texts(run, "resume"), Contains("resume verified: 7 steps equal"));
}

TEST_F(RunSessionTest, AResumedRunIsAskedForThePrecisionThatItWasTrainedIn) {
    const auto run = killedRun(file_, "00000000000a", 20, 27);
    const auto session = open();
    const auto fresh = session->submit(smallSpec("base", 5));
    ASSERT_TRUE(ends(*session, fresh));
    EXPECT_EQ(engine_->precisionAsked, Precision::Auto);
    session->resume(run);
    ASSERT_TRUE(ends(*session, run));
    EXPECT_EQ(engine_->precisionAsked, Precision::BFloat16);
}

TEST_F(RunSessionTest, AResumeThatDiffersIsSaid) {
    const auto run = killedRun(file_, "00000000000a", 20, 27);
    engine_->differFrom = 23;
    const auto session = open();
    session->resume(run);
    ASSERT_TRUE(reaches(run, "completed"));
    EXPECT_EQ(query()->attempts(run).at(1).replay, "different");
    EXPECT_THAT(texts(run, "resume"), Contains(HasSubstr("step 23, loss")));
}

TEST_F(RunSessionTest, ADamagedCheckpointIsPassedOverAndItIsSaid) {
    const auto run = killedRun(file_, "00000000000a", 20, 27);
    std::ofstream(storage::artifactFolder(file_) + "/" + run + "/step-20/weights.safetensors") << "rotten";
    const auto session = open();
    session->resume(run);
    ASSERT_TRUE(reaches(run, "completed"));
    EXPECT_EQ(engine_->trainedFrom, 0);
    EXPECT_THAT(texts(run, "warning"), Contains(HasSubstr("step-20/weights.safetensors is damaged")));
    EXPECT_THAT(texts(run, "warning"), Contains("resuming from the checkpoint of step 0"));
}

TEST_F(RunSessionTest, AFailureIsRecordedWithItsExitCode) {
    engine_->failAt = 5;
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 30));
    ASSERT_TRUE(ends(*session, run));
    const auto end = session->ended(run).value();
    EXPECT_EQ(end.state, RunState::Failed);
    ASSERT_TRUE(end.error.has_value());
    EXPECT_EQ(end.error->code(), ErrorCode::Diverged);
    EXPECT_EQ(stateOf(run), "failed");
    for (const auto& event : query()->events(run)) {
        if (event.kind == "failure") {
            EXPECT_EQ(parseJson(event.data, "test").at("exit_code"), 5);
        }
    }
    EXPECT_THAT(texts(run, "failure"), Contains("the loss is not a finite number"));
}

TEST_F(RunSessionTest, RunsOnOneDeviceWaitForEachOther) {
    engine_->stepMilliseconds = 2;
    const auto session = open();
    const auto first = session->submit(smallSpec("first", 100000));
    const auto second = session->submit(smallSpec("second", 10));
    const auto third = session->submit(smallSpec("third", 10));
    ASSERT_TRUE(reaches(first, "running"));
    EXPECT_THAT(session->activeRuns(), ElementsAre(first));
    EXPECT_THAT(session->waiting(), ElementsAre(second, third));
    session->command(second, RunVerb::Stop, "user");
    EXPECT_EQ(stateOf(second), "stopped");
    EXPECT_EQ(stateOf(third), "queued");
    session->command(first, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(third, "completed"));
    EXPECT_EQ(engine_->trained, 2);
}

// The fake engine takes any device: two of them are two engine threads.
TEST_F(RunSessionTest, RunsThatWantOtherSettingsOfTheProcessWaitForEachOther) {
    engine_->stepMilliseconds = 2;
    const auto session = open();
    const auto specOn = [](const std::string& device, bool deterministic) {
        RunSpec spec = smallSpec(device, 100000);
        spec.train.device = device;
        spec.train.deterministic = deterministic;
        return spec;
    };
    const auto first = session->submit(specOn("cpu", true)), alike = session->submit(specOn("cuda:0", true));
    ASSERT_TRUE(reaches(first, "running"));
    ASSERT_TRUE(reaches(alike, "running")) << "beside the first, on a device of its own";
    const auto other = session->submit(specOn("cuda:1", false)), later = session->submit(specOn("cuda:2", true));
    EXPECT_THAT(session->waiting(), UnorderedElementsAre(other, later)) << "the later one does not overtake";
    session->command(first, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(first, "stopped"));
    EXPECT_EQ(stateOf(other), "queued");
    session->command(alike, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(other, "running"));
    EXPECT_EQ(stateOf(later), "queued");
    session->command(other, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(later, "running"));
}

TEST_F(RunSessionTest, ClosingStopsWhatIsActiveAndLeavesTheQueue) {
    engine_->stepMilliseconds = 2;
    auto session = open();
    const auto first = session->submit(smallSpec("first", 100000));
    const auto second = session->submit(smallSpec("second", 10));
    ASSERT_TRUE(reaches(first, "running"));
    session.reset();
    EXPECT_EQ(stateOf(first), "stopped");
    EXPECT_EQ(stateOf(second), "queued");
    session = open();
    EXPECT_THAT(session->leftQueued(), ElementsAre(second));
    session->resume(second);
    EXPECT_TRUE(reaches(second, "completed"));
}

TEST_F(RunSessionTest, OnlyOneOwner) {
    const auto session = open();
    try {
        open();
        FAIL() << "a second owner got the database";
    } catch (const storage::StorageError& error) {
        EXPECT_EQ(error.kind(), storage::StorageError::Kind::Locked);
        EXPECT_THAT(error.what(), HasSubstr("session test"));
    }
}

TEST_F(RunSessionTest, OtherProcessesSpeakThroughTheInbox) {
    engine_->stepMilliseconds = 2;
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 100000));
    ASSERT_TRUE(reaches(run, "running"));
    const auto ask = [&](const std::string& verb, const std::string& body = "") { return answerTo({0, verb, run, body}); };
    ask("pause");
    EXPECT_TRUE(reaches(run, "paused"));
    ask("resume");
    EXPECT_TRUE(reaches(run, "running"));
    ask("rename", R"({"name":"other"})");
    EXPECT_EQ(query()->run(run)->name, "other");
    ask("tag", R"({"add":["a","b"]})");
    EXPECT_THAT(query()->run(run)->tags, ElementsAre("a", "b"));
    ask("note", R"({"text":"looks good"})");
    EXPECT_THAT(texts(run, "note"), ElementsAre("looks good"));
    EXPECT_GT(parseJson(ask("ask", R"({"ask":"step"})"), "answer").at("step").get<int>(), 0);
    EXPECT_THROW(ask("delete"), Error) << "it is running";
    EXPECT_THROW(ask("fly"), Error);
    EXPECT_THROW(ask("tag", "not json"), Error);
    ask("stop");
    ASSERT_TRUE(reaches(run, "stopped"));
    EXPECT_EQ(query()->run(run)->name, "other") << "later states must not undo an edit";

    engine_->stepMilliseconds = 0;
    const auto queued = ask("enqueue", smallSpec("queued", 10).toJson().dump());
    EXPECT_TRUE(reaches(queued, "completed"));
    EXPECT_THROW(ask("enqueue", R"({"variant":{"topolgy":"encdec"}})"), Error);
    ask("delete");
    EXPECT_FALSE(query()->run(run).has_value());
    EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(storage::artifactFolder(file_) + "/" + run); }))
        << "the folder goes after the answer";
}

TEST_F(RunSessionTest, AQuestionIsAnsweredOrRefusedWhenTheRunEnds) {
    engine_->stepMilliseconds = 2;
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 100000));
    ASSERT_TRUE(reaches(run, "running"));
    std::atomic<int> answered = 0;
    session->ask(run, {{"ask", "step"}}, [&](bool ok, const Json& value) { answered = ok && value.contains("step") ? 1 : -1; });
    EXPECT_TRUE(eventually([&] { return answered != 0; }));
    EXPECT_EQ(answered, 1);
    session->command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, run));
    EXPECT_THROW(session->ask(run, {}, {}), Error);
}

/// The engine asks itself after its last look at the mailbox, so that the question is refused while the run ends.
TEST_F(RunSessionTest, ARunHasNotEndedWhileAnEngineThreadHasIt) {
    const auto session = open();
    std::atomic<int> refused = 0;
    engine_->evaluations = [&](const RunSpec&) {
        const std::string run = session->activeRuns().at(0);
        session->ask(run, {{"ask", "step"}}, [&, run](bool ok, const Json&) {
            const bool isActive = !session->activeRuns().empty();
            refused = ok || !isActive || session->ended(run) ? -1 : 1;
            EXPECT_THROW(session->ask(run, {}, {}), Error) << "nobody would answer";
        });
        return std::vector<EvaluationDone>();
    };
    const auto run = session->submit(smallSpec("base", 1));
    ASSERT_TRUE(eventually([&] { return session->ended(run).has_value(); }));
    EXPECT_TRUE(session->activeRuns().empty());
    EXPECT_EQ(refused, 1);
}

TEST_F(RunSessionTest, WithoutAnEngineTheRunStaysQueuedAndTheReasonIsTold) {
    RunSession::Options options;
    options.database = file_;
    options.engine = []() -> std::shared_ptr<Engine> {
        throw Error(ErrorCode::Failure, "LibTorch was not found", "test", "install it");
    };
    RunSession session(options);
    const auto run = session.submit(smallSpec("base", 10));
    ASSERT_TRUE(ends(session, run));
    EXPECT_EQ(session.ended(run)->state, RunState::Failed);
    EXPECT_EQ(session.ended(run)->reason, "LibTorch was not found");
    EXPECT_EQ(stateOf(run), "queued");
}

TEST_F(RunSessionTest, FindRunTakesIdsPrefixesAndNames) {
    killedRun(file_, "aa0000000001", 10, 12);
    killedRun(file_, "aa0000000002", 10, 12);
    killedRun(file_, "bb0000000003", 10, 12);
    const auto q = query();
    EXPECT_EQ(findRun(*q, "aa0000000001").id, "aa0000000001");
    EXPECT_EQ(findRun(*q, "bb").id, "bb0000000003");
    EXPECT_THAT([&] { findRun(*q, "aa"); }, Throws<Error>(AllOf(Property(&Error::code, ErrorCode::Usage),
                                                                Property(&Error::next, HasSubstr("aa0000000002")))))
        << "the prefix is ambiguous";
    EXPECT_THROW(findRun(*q, "killed"), Error);  // three of that name
    EXPECT_THROW(findRun(*q, "nothing"), Error);
}

TEST_F(RunSessionTest, ANameMeansTheRunThatTrainedNotWhatFailedAtItsStartOrLiesInTheTrash) {
    killedRun(file_, "aa0000000001", 10, 12);
    killedRun(file_, "aa0000000002", 10, 12);
    {
        const auto store = storage::RunStore::open(file_, {});
        auto failed = *query()->run("aa0000000002");
        failed.state = "failed";
        failed.step = 0;
        store->updateRun(failed);
    }
    EXPECT_EQ(findRun(*query(), "killed").id, "aa0000000001");
    killedRun(file_, "aa0000000003", 10, 12);
    {
        const auto store = storage::RunStore::open(file_, {});
        auto trashed = *query()->run("aa0000000001");
        trashed.trashed = 1000;
        store->updateRun(trashed);
    }
    EXPECT_EQ(findRun(*query(), "killed").id, "aa0000000003");
    EXPECT_EQ(findRun(*query(), "aa0000000001").id, "aa0000000001") << "by its id";
    EXPECT_THROW(findRun(*query(), "aa"), Error) << "a prefix of three ids";
}

}  // namespace
}  // namespace heddle::app
