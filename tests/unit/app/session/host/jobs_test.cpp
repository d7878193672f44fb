// SPDX-License-Identifier: Apache-2.0
// A session that trains several runs at once, and the commands that ask for it.
#include "app/session/host/run_session.h"
#include "engine/base/threads.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class JobsTest : public testing::Test, protected SessionFixture {
protected:
    JobsTest() { engine_->stepMilliseconds = 2; }

    std::unique_ptr<RunSession> openTwo() const {
        RunSession::Options options = sessionOptions("jobs test");
        options.jobs = 2;
        return std::make_unique<RunSession>(options);
    }
    static bool trains(const RunSession& session, std::vector<std::string> runs) {
        std::sort(runs.begin(), runs.end());
        return eventually([&] { return session.activeRuns() == runs; });
    }
    double startOf(const std::string& run) const { return query()->attempts(run).at(0).started; }
};

TEST_F(JobsTest, TwoRunsTrainAtOnceAndTheNextStartsInItsOrderWhereOneEnds) {
    const auto session = openTwo();
    const auto a = session->submit(smallSpec("a", 100000)), b = session->submit(smallSpec("b", 100000));
    ASSERT_TRUE(trains(*session, {a, b}));
    const auto c = session->submit(smallSpec("c", 100000)), d = session->submit(smallSpec("d", 10));
    EXPECT_THAT(session->waiting(), ElementsAre(c, d));
    session->command(a, RunVerb::Stop, "user");
    ASSERT_TRUE(trains(*session, {b, c})) << "a run stopped alone, and the next in the queue took its place";
    EXPECT_EQ(session->ended(a)->state, RunState::Stopped);
    EXPECT_THAT(session->waiting(), ElementsAre(d));
    ASSERT_TRUE(reaches(c, "running"));
    session->command(c, RunVerb::Pause, "user");
    ASSERT_TRUE(reaches(c, "paused"));
    const auto before = query()->run(b)->step;
    EXPECT_TRUE(eventually([&] { return query()->run(b)->step > before; })) << "the other one goes on";
    session->command(b, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, d));
    EXPECT_LE(startOf(c), startOf(d));
    EXPECT_EQ(parseJson(query()->attempts(d).at(0).context, "context").at("jobs"), 2) << "its times are those of two at once";
    EXPECT_FALSE(session->isIdle());
    EXPECT_FALSE(session->stopIfIdle());
}

/// A run that trains alone in a session of two, a run beside another, and one that got company late.
TEST_F(JobsTest, AnAttemptRecordsHowManyRunsThereWere) {
    const auto session = openTwo();
    const auto facts = [&](const std::string& run) {
        return parseJson(query()->attempts(run).at(0).context, "context").at("runs_at_once");
    };
    const auto alone = session->submit(smallSpec("alone", 10));
    ASSERT_TRUE(ends(*session, alone));
    EXPECT_EQ(facts(alone), (Json{{"least", 1}, {"most", 1}, {"runs", 1}, {"share", 1.0}}));
    const auto first = session->submit(smallSpec("first", 100000));
    ASSERT_TRUE(trains(*session, {first}));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto second = session->submit(smallSpec("second", 10));
    ASSERT_TRUE(ends(*session, second));
    EXPECT_EQ(facts(second), (Json{{"least", 2}, {"most", 2}, {"runs", 2}, {"share", 1.0}}));
    session->command(first, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, first));
    EXPECT_EQ(facts(first).at("least"), 1);
    EXPECT_EQ(facts(first).at("most"), 2);
    EXPECT_LT(facts(first).at("share"), 1);
}

/// A run that is taken from the queue is never in none of the two.
TEST_F(JobsTest, ASessionWithWorkIsNotIdleForAMoment) {
    engine_->stepMilliseconds = 0;
    const auto session = openTwo();
    for (int i = 0; i < 60; ++i) {
        const auto run = session->submit(smallSpec("short", 1));
        while (!session->ended(run)) {
            const bool isIdle = session->isIdle();
            ASSERT_TRUE(!isIdle || session->ended(run)) << "run " << i;
        }
    }
    EXPECT_EQ(session->load(), RunSession::Load{});
}

/// The engine is asked for its devices after the run was looked at and before it is in the queue.
TEST_F(JobsTest, ARunThatIsBeingResumedIsNotResumedTwice) {
    RunSession::Options options = sessionOptions("jobs test");
    options.jobs = 2;
    std::function<void()> meanwhile;
    options.engine = [this, &meanwhile] {
        if (const auto now = std::exchange(meanwhile, nullptr)) now();
        return engine_;
    };
    RunSession session(options);
    RunSpec spec = smallSpec("a", 100000);
    spec.train.device = "auto";
    const auto a = session.submit(spec);
    ASSERT_TRUE(trains(session, {a}));
    session.command(a, RunVerb::Stop, "user");
    ASSERT_TRUE(eventually([&] { return session.activeRuns().empty(); }));
    std::string second;
    meanwhile = [&] { second = whyRefused([&] { session.resume(a); }); };
    session.resume(a);
    EXPECT_THAT(second, HasSubstr("the run is being resumed"));
    ASSERT_TRUE(trains(session, {a}));
    EXPECT_THAT(session.waiting(), IsEmpty());
    EXPECT_TRUE(isRefused([&] { session.resume(a); }));
    session.command(a, RunVerb::Stop, "user");
    ASSERT_TRUE(eventually([&] { return session.activeRuns().empty(); }));
    EXPECT_EQ(query()->attempts(a).size(), 2U);
    session.resume(a);
    EXPECT_TRUE(trains(session, {a})) << "and later it can be";
}

TEST_F(JobsTest, OneRunAtATimeSaysNothingOfJobs) {
    const auto session = open();
    const auto a = session->submit(smallSpec("a", 100000)), b = session->submit(smallSpec("b", 10));
    ASSERT_TRUE(trains(*session, {a}));
    EXPECT_THAT(session->waiting(), ElementsAre(b));
    session->command(a, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, b));
    EXPECT_FALSE(parseJson(query()->attempts(b).at(0).context, "context").contains("jobs"));
}

TEST_F(JobsTest, RunsOfOtherSettingsAreNotTrainedAtOnceAndNotOvertaken) {
    const auto session = openTwo();
    const auto a = session->submit(smallSpec("a", 100000));
    RunSpec other = smallSpec("b", 100000);
    other.train.threads = 1;
    const auto b = session->submit(other), c = session->submit(smallSpec("c", 10));
    ASSERT_TRUE(trains(*session, {a}));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_THAT(session->activeRuns(), ElementsAre(a)) << "threads are a setting of the process";
    EXPECT_THAT(session->waiting(), ElementsAre(b, c)) << "nor does the later one overtake";
    session->command(a, RunVerb::Stop, "user");
    ASSERT_TRUE(trains(*session, {b}));
    session->command(b, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, c));
}

TEST_F(JobsTest, ClosingStopsBothAndLeavesTheQueue) {
    std::string a, b, c;
    {
        const auto session = openTwo();
        a = session->submit(smallSpec("a", 100000));
        b = session->submit(smallSpec("b", 100000));
        ASSERT_TRUE(trains(*session, {a, b}));
        c = session->submit(smallSpec("c", 10));
        EXPECT_EQ(session->close(), "");
        EXPECT_THAT(session->activeRuns(), IsEmpty());
    }
    EXPECT_EQ(stateOf(a), "stopped");
    EXPECT_EQ(stateOf(b), "stopped");
    EXPECT_EQ(stateOf(c), "queued");
    const auto next = openTwo();
    next->resume(a);
    next->resume(b);
    EXPECT_TRUE(trains(*next, {a, b})) << "both go on";
}

/// `heddle sweep` of four runs.
class JobsCommandTest : public JobsTest {
protected:
    std::string plan(std::int64_t threads, const std::string& device = "cpu") const {
        for (const char* name : {"a.txt", "b.txt"}) std::ofstream(folder_ / name) << "a b\n";
        Json spec = smallSpec("run", 100).toJson();
        spec["data"]["train"] = {{"source", "a.txt"}, {"target", "b.txt"}};
        std::ofstream(folder_ / "plan.json")
            << Json{{"schema", "heddle.plan/1"},
                    {"rows",
                     {{{"name", "run"},
                       {"spec", spec},
                       {"seeds", {1, 2, 3, 4}},
                       {"set", {"train.threads=" + std::to_string(threads), "train.device=" + device}}}}}};
        return folder_ / "plan.json";
    }
    CommandResult sweep(const std::string& file, const std::string& jobs) {
        return runOn(file_, {"sweep", file, "--jobs", jobs, "--json"}, [this] { return engine_; });
    }
};

TEST_F(JobsCommandTest, EveryRunIsTrainedOnce) {
    if (physicalCores() < 2) GTEST_SKIP() << "one core";
    engine_->stepMilliseconds = 10;
    const CommandResult done = sweep(plan(1), "2");
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(engine_->trained, 4);
    std::vector<std::string> ids;
    const Json document = done.json();
    for (const Json& run : document.at("runs")) {
        EXPECT_EQ(run.at("state"), "completed");
        ids.push_back(run.at("run"));
    }
    ASSERT_EQ(ids.size(), 4U);
    EXPECT_LT(startOf(ids[1]), startOf(ids[0]) + 1) << "while the first one, of a second, was in training";
}

TEST_F(JobsCommandTest, MoreThanTheMachineHasIsRefusedBeforeARunIsMade) {
    const auto cores = std::int64_t(physicalCores());
    const CommandResult all = sweep(plan(0), "2");
    EXPECT_EQ(all.code, 2);
    EXPECT_THAT(all.err, HasSubstr("exceed the " + std::to_string(cores) + " cores of this machine"));
    if (cores >= 2) {
        EXPECT_THAT(all.err, HasSubstr("set train.threads=" + std::to_string(cores / 2)));
    }
    const CommandResult many = sweep(plan(1), std::to_string(cores + 1));
    EXPECT_EQ(many.code, 2);
    EXPECT_THAT(many.err, HasSubstr("give --jobs " + std::to_string(cores) + " or fewer"));
    EXPECT_EQ(sweep(plan(1), "0").code, 2);
    const CommandResult none = runOn(file_, {"sweep", plan(1), "--dry-run", "--jobs", "2"}, [this] { return engine_; });
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.err, HasSubstr("--dry-run trains none"));
    const CommandResult gpu = sweep(plan(1, "cuda"), "2");
    EXPECT_EQ(gpu.code, 2);
    EXPECT_THAT(gpu.err, HasSubstr("a GPU trains one run at a time"));
    EXPECT_EQ(engine_->trained, 0);
    EXPECT_FALSE(std::filesystem::exists(file_));
}

}  // namespace
}  // namespace heddle::app
