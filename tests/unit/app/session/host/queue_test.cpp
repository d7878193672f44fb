// SPDX-License-Identifier: Apache-2.0
// The order of the queue: moved by its owner, through the inbox, without an owner, from the command line; kept by the file.
#include "app/session/host/run_session.h"
#include "app/session/requests/ask_owner.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

class QueueTest : public testing::Test, protected SessionFixture {
protected:
    /// One run that trains and three that wait: a, b, c.
    std::unique_ptr<RunSession> openBusy() {
        engine_->stepMilliseconds = 2;
        auto session = open();
        busy_ = session->submit(smallSpec("busy", 100000));
        EXPECT_TRUE(eventually([&] { return stateOf(busy_) == "running"; }));
        a_ = session->submit(smallSpec("a", 10));
        b_ = session->submit(smallSpec("b", 10));
        c_ = session->submit(smallSpec("c", 10));
        return session;
    }
    /// The names of the queued runs, in the order in which every view shows them.
    std::vector<std::string> recorded() {
        auto runs = query()->runs();
        std::erase_if(runs, [](const auto& run) { return run.state != "queued"; });
        std::sort(runs.begin(), runs.end(), storage::startsBefore);
        std::vector<std::string> names;
        for (const auto& run : runs) names.push_back(run.name);
        return names;
    }
    std::string cli(std::vector<std::string> arguments, int code = 0) {
        const auto result = runOn(file_, std::move(arguments));
        EXPECT_EQ(result.code, code) << result.err;
        return code == 0 ? result.out : result.err;
    }

    std::string busy_, a_, b_, c_;
};

TEST_F(QueueTest, AnEngineThreadIsPreparedBeforeItTrains) {
    std::vector<int> trainedBefore;
    std::thread::id prepared;
    auto options = sessionOptions("session test");
    options.onEngineThread = [&] {
        prepared = std::this_thread::get_id();
        trainedBefore.push_back(engine_->trained);
    };
    RunSession session(options);
    for (const char* name : {"first", "second"}) ASSERT_TRUE(ends(session, session.submit(smallSpec(name, 30))));
    EXPECT_THAT(trainedBefore, ElementsAre(0)) << "one thread trains all runs of a device";
    EXPECT_NE(prepared, std::this_thread::get_id());
}

TEST_F(QueueTest, AMovedRunStartsWhereItStands) {
    const auto session = openBusy();
    session->edit(MoveRun{c_, -1});
    EXPECT_THAT(session->waiting(), ElementsAre(a_, c_, b_));
    EXPECT_THAT(recorded(), ElementsAre("a", "c", "b"));
    session->edit(MoveRun{a_, 99});
    EXPECT_THAT(session->waiting(), ElementsAre(c_, b_, a_)) << "at most to the end";
    session->edit(MoveRun{a_, -99});
    session->edit(MoveRun{b_, 0});
    EXPECT_THAT(recorded(), ElementsAre("a", "c", "b"));
    engine_->stepMilliseconds = 0;
    session->command(busy_, RunVerb::Stop, "user");
    ASSERT_TRUE(eventually([&] { return stateOf(b_) == "completed"; }));
    const auto query = storage::RunQuery::open(file_);
    const auto started = [&](const std::string& run) { return query->attempts(run).at(0).started; };
    EXPECT_LT(started(a_), started(c_));
    EXPECT_LT(started(c_), started(b_));
}

TEST_F(QueueTest, AnotherProcessMovesThroughTheInbox) {
    const auto session = openBusy();
    edit(file_, MoveRun{c_, -2});
    EXPECT_TRUE(eventually([&] { return session->waiting() == std::vector{c_, a_, b_}; }));
    EXPECT_THROW(answerTo({0, "move", busy_, R"({"by":1})"}), Error) << "not in the queue";
    EXPECT_THROW(answerTo({0, "move", c_, R"({"by":"up"})"}), Error);
    EXPECT_THAT(session->waiting(), ElementsAre(c_, a_, b_));
}

TEST_F(QueueTest, TheOrderOutlivesItsOwner) {
    openBusy()->edit(MoveRun{c_, -1});
    edit(file_, MoveRun{b_, -2});
    EXPECT_THAT(recorded(), ElementsAre("b", "a", "c")) << "moved without an owner too";
    const auto session = open();
    EXPECT_THAT(session->leftQueued(), ElementsAre(b_, a_, c_));
    engine_->stepMilliseconds = 2;
    session->resume(busy_);
    ASSERT_TRUE(eventually([&] { return session->activeRuns() == std::vector<std::string>{busy_}; }));
    session->resume(c_);
    session->resume(a_);
    EXPECT_THAT(session->waiting(), ElementsAre(a_, c_)) << "in the order of the file, not of the calls";
}

TEST_F(QueueTest, WhoIsQueuedAgainStandsAtTheEnd) {
    const auto session = openBusy();
    session->command(a_, RunVerb::Stop, "user");
    session->resume(a_);
    EXPECT_THAT(session->waiting(), ElementsAre(b_, c_, a_));
    EXPECT_THAT(recorded(), ElementsAre("b", "c", "a"));
}

TEST_F(QueueTest, ARunInTheTrashIsNeitherMovedNorResumed) {
    const auto session = openBusy();
    session->edit(TrashRun{a_});
    EXPECT_THROW(session->edit(MoveRun{a_, 1}), Error);
    EXPECT_THAT(
        [&] { session->resume(a_); },
        Throws<Error>(AllOf(Property(&Error::code, ErrorCode::Usage), Property(&Error::problem, HasSubstr("trash")),
                            Property(&Error::where, a_), Property(&Error::next, HasSubstr("heddle runs restore " + a_)))));
    EXPECT_THROW(answerTo({0, "resume", a_, "{}"}), Error);
    EXPECT_THAT(session->waiting(), ElementsAre(b_, c_));
    session->edit(RestoreRun{a_});
    session->resume(a_);
    EXPECT_THAT(session->waiting(), ElementsAre(a_, b_, c_)) << "its place was kept";
}

TEST_F(QueueTest, TheCommandLineMovesAndPrintsTheQueue) {
    const auto session = openBusy();
    const auto lines = [](const std::vector<std::string>& ids) {
        std::string all;
        for (const auto& id : ids) all += id + "\n";
        return all;
    };
    EXPECT_EQ(cli({"runs", "move", c_, "--first"}), lines({c_, a_, b_}));
    EXPECT_EQ(cli({"runs", "move", c_, "--before", b_}), lines({a_, c_, b_}));
    EXPECT_EQ(cli({"runs", "move", b_, "--before", a_}), lines({b_, a_, c_}));
    EXPECT_EQ(cli({"runs", "move", b_, "--last"}), lines({a_, c_, b_}));
    EXPECT_EQ(Json::parse(cli({"runs", "move", b_, "--last", "--json"})).at("runs"), (Json{a_, c_, b_}));
    EXPECT_THAT(session->waiting(), ElementsAre(a_, c_, b_));
    EXPECT_THAT(cli({"runs", "move", b_}, 2), HasSubstr("--before"));
    EXPECT_THAT(cli({"runs", "move", b_, "--first", "--last"}, 2), HasSubstr("one of"));
    EXPECT_THAT(cli({"runs", "move", "busy", "--first"}, 2), HasSubstr("not in the queue"));
}

}  // namespace
}  // namespace heddle::app
