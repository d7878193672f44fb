// SPDX-License-Identifier: Apache-2.0
// The studio's way to command runs. What a user sees must not depend on who trains: every test runs with the thread host and
// with a child (the server of `heddle serve` with the fake engine, on a thread instead of in a process).
#include "app/session/host/database_control.h"
#include "app/session/host/database_server.h"
#include "storage/run_query.h"
#include "storage/run_store.h"
#include "tests/unit/app/session/background_server.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::SizeIs;
using testing::Throws;

class HostTest : public testing::TestWithParam<DatabaseControl::Host>, protected SessionFixture {
protected:
    ~HostTest() override { control_.reset(); }

    RunSession::Options session(const std::string& owner) {
        RunSession::Options options = sessionOptions(owner);
        options.engine = [this]() -> std::shared_ptr<Engine> {
            if (engineMissing_) throw Error(ErrorCode::Failure, "no engine", "", "");
            return engine_;
        };
        return options;
    }
    DatabaseControl& open(std::chrono::milliseconds refreshEvery = 10ms) {
        control_.reset();
        DatabaseControl::Options options;
        options.session = session("studio");
        options.host = GetParam();
        options.startChild = [this](const std::string&) { return children_.start({session("child"), 0.2}); };
        options.answerTimeout = 10;
        options.releaseAfter = 0.1;
        options.refreshEvery = refreshEvery;
        control_ = std::make_unique<DatabaseControl>(options);
        return *control_;
    }
    bool isFree() const { return storage::currentOwner(file_).empty(); }

    std::atomic<bool> engineMissing_ = false;
    BackgroundServers children_;
    std::unique_ptr<DatabaseControl> control_;
};

TEST_P(HostTest, ARunIsTrainedAndTheDatabaseGivenBack) {
    createDatabase(file_);
    auto& control = open();
    const auto run = control.submit(smallSpec("base", 30), "");
    ASSERT_TRUE(reaches(run, "completed"));
    EXPECT_TRUE(eventually([&] { return isFree(); })) << "idle: the CLI may have it";
    const auto next = control.submit(smallSpec("next", 5), "");
    EXPECT_TRUE(reaches(next, "completed")) << "taken again when there is something to do";
}

TEST_P(HostTest, PauseResumeCheckpointStopAndGoOn) {
    engine_->stepMilliseconds = 2;
    createDatabase(file_);
    auto& control = open();
    const auto run = control.submit(smallSpec("base", 100000), "");
    ASSERT_TRUE(reaches(run, "running"));
    control.command(run, RunVerb::Pause, "user");
    ASSERT_TRUE(reaches(run, "paused"));
    // The file shows a state a moment before the session that recorded it knows.
    ASSERT_TRUE(eventually([&] { return isRefused([&] { control.command(run, RunVerb::Pause, "user"); }); }))
        << "the table forbids it";
    control.command(run, RunVerb::Resume, "user");
    ASSERT_TRUE(reaches(run, "running"));
    control.command(run, RunVerb::Checkpoint, "user");
    EXPECT_TRUE(eventually([&] { return storage::RunQuery::open(file_)->checkpoints(run).size() > 1; }));
    control.command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(run, "stopped"));
    const auto step = storage::RunQuery::open(file_)->run(run)->step;
    ASSERT_TRUE(eventually([&] { return !isRefused([&] { control.command(run, RunVerb::Start, "user"); }); })) << "settling";
    EXPECT_TRUE(eventually([&] { return engine_->trained == 2; }));
    EXPECT_TRUE(eventually([&] { return engine_->trainedFrom == step; })) << "from its checkpoint";
    control.command(run, RunVerb::Stop, "user");
    EXPECT_TRUE(reaches(run, "stopped"));
}

TEST_P(HostTest, RunsQueueAndAQueuedOneCanBeWithdrawn) {
    engine_->stepMilliseconds = 2;
    createDatabase(file_);
    auto& control = open();
    const auto first = control.submit(smallSpec("first", 100000), "");
    const auto second = control.submit(smallSpec("second", 10), "");
    ASSERT_TRUE(reaches(first, "running"));
    EXPECT_EQ(stateOf(second), "queued");
    control.command(second, RunVerb::Stop, "user");
    EXPECT_TRUE(reaches(second, "stopped"));
    control.command(first, RunVerb::Stop, "user");
    EXPECT_TRUE(reaches(first, "stopped"));
}

TEST_P(HostTest, EditsReachTheOwnerWhoeverThatIs) {
    engine_->stepMilliseconds = 2;
    createDatabase(file_);
    auto& control = open();
    const auto run = control.submit(smallSpec("base", 100000), "");
    ASSERT_TRUE(reaches(run, "running"));
    control.edit(RenameRun{run, "other"});
    EXPECT_EQ(storage::RunQuery::open(file_)->run(run)->name, "other");
    control.edit(PutItem{"pin", "baseline", {{"variant", "x"}}});
    EXPECT_THAT(storage::RunQuery::open(file_)->items("pin"), SizeIs(1));
    control.command(run, RunVerb::Stop, "user");
    EXPECT_TRUE(reaches(run, "stopped"));
}

TEST_P(HostTest, AnotherOwnerIsAskedAndReplacedWhenItIsGone) {
    engine_->stepMilliseconds = 2;
    auto other = std::make_unique<RunSession>(session("heddle train"));
    auto& control = open();
    const auto run = control.submit(smallSpec("base", 100000), "");
    ASSERT_TRUE(reaches(run, "running"));
    EXPECT_THAT(other->activeRuns(), SizeIs(1)) << "whoever owns the database trains";
    EXPECT_TRUE(eventually([&] { return control.status().owner.program == "heddle train"; }));
    EXPECT_FALSE(control.status().here);
    control.command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(run, "stopped"));
    other.reset();
    const auto next = control.submit(smallSpec("next", 5), "");
    EXPECT_TRUE(reaches(next, "completed"));
}

TEST_P(HostTest, WhatADeadOwnerLeftIsInterruptedAsSoonAsTheDatabaseIsOpened) {
    {
        const auto store = storage::RunStore::open(file_, {"doomed", 0});
        store->begin();
        store->addRun(killedRecord("00000000000a"));
        store->commit(storage::RunStore::Durability::Full);
    }
    auto& control = open();
    ASSERT_TRUE(reaches("00000000000a", "interrupted"));
    EXPECT_TRUE(eventually([&] { return isFree(); }));
    control.resume("00000000000a");
    EXPECT_TRUE(reaches("00000000000a", "completed"));
}

TEST_P(HostTest, AnOwnerThatComesAndDiesBetweenTwoLooksIsNoticed) {
    createDatabase(file_);
    auto& control = open(1s);
    ASSERT_TRUE(eventually([&] { return control.status().isChecked; }));
    std::jthread owner([&, store = storage::RunStore::open(file_, {"doomed", 0})] {
        std::vector<storage::InboxRequest> asked;
        if (!eventually([&] { return !(asked = store->takeRequests()).empty(); })) return;
        const auto record = killedRecord("00000000000a");
        store->begin();
        store->addRun(record);
        store->answer(asked.front().id, true, record.id);
        store->commit(storage::RunStore::Durability::Full);
    });
    const auto run = control.submit(smallSpec("killed", 40), "");
    owner.join();
    EXPECT_TRUE(reaches(run, "interrupted"));
}

TEST_P(HostTest, ClosingDoesNotWaitForAnAnswer) {
    createDatabase(file_);
    const auto deaf = storage::RunStore::open(file_, {"deaf owner", 0});
    auto& control = open();
    std::string why;
    control.ask("00000000000a", {{"ask", "translate"}}, [&](bool ok, const Json& answer) {
        if (!ok) why = answer.dump();
        throw std::runtime_error("a fault of the asker");
    });
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(file_ + ".inbox"); }));
    const auto began = std::chrono::steady_clock::now();
    control.close();
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
    EXPECT_THAT(why, HasSubstr("being closed"));
    EXPECT_TRUE(deaf->takeRequests().empty()) << "the question was withdrawn";
}

TEST_P(HostTest, ClosingStopsWhatIsTrainedHereAndLeavesAChildAlone) {
    engine_->stepMilliseconds = 2;
    createDatabase(file_);
    auto& control = open();
    const auto run = control.submit(smallSpec("base", 100000), "");
    const auto waiting = control.submit(smallSpec("waiting", 100000), "");
    ASSERT_TRUE(reaches(run, "running"));
    EXPECT_EQ(control.close(), "");
    EXPECT_THROW(control.submit(smallSpec("late", 5), ""), Error);
    if (GetParam() == DatabaseControl::Host::Thread) {
        EXPECT_EQ(stateOf(run), "stopped");
        EXPECT_EQ(stateOf(waiting), "queued") << "kept for the next time";
        EXPECT_TRUE(isFree());
    } else {
        EXPECT_EQ(stateOf(run), "running");
        open().command(run, RunVerb::Stop, "user");
        EXPECT_TRUE(reaches(run, "stopped")) << "a window that is opened again commands it";
        EXPECT_TRUE(reaches(waiting, "running"));
        control_->command(waiting, RunVerb::Stop, "user");
        EXPECT_TRUE(reaches(waiting, "stopped"));
    }
}

TEST_P(HostTest, TrainingIsHandedOverToAChild) {
    engine_->stepMilliseconds = 2;
    createDatabase(file_);
    auto& control = open();
    const auto run = control.submit(smallSpec("base", 100000), "");
    const auto waiting = control.submit(smallSpec("waiting", 5), "");
    ASSERT_TRUE(reaches(run, "running"));
    control.handOver();
    EXPECT_EQ(control.close(), "");
    EXPECT_TRUE(eventually([&] { return storage::currentOwner(file_).program.starts_with("child"); }));
    EXPECT_TRUE(reaches(run, "running")) << "what was active goes on before the queue";
    EXPECT_EQ(stateOf(waiting), "queued");
    open().command(run, RunVerb::Stop, "user");
    EXPECT_TRUE(reaches(run, "stopped"));
    EXPECT_TRUE(reaches(waiting, "completed"));
}

TEST_P(HostTest, AMissingEngineIsSaidBeforeARunIsMade) {
    createDatabase(file_);
    engineMissing_ = true;
    auto& control = open();
    EXPECT_THAT([&] { control.submit(smallSpec("base", 5), ""); },
                Throws<Error>(Property(&Error::problem, HasSubstr("no engine"))));
    EXPECT_THAT(storage::RunQuery::open(file_)->runs(), IsEmpty());
    control.edit(PutItem{"pin", "baseline", Json::object()});
    EXPECT_THAT(storage::RunQuery::open(file_)->items("pin"), SizeIs(1)) << "rows need no engine";
}

TEST_P(HostTest, AChangeOfRowsIsOfThisProcessOrRefusedWithTheOwnersName) {
    createDatabase(file_);
    auto& control = open();
    const auto add = [](const std::string& id) { return [id](storage::RunStore& store) { store.addRun(killedRecord(id)); }; };
    control.change(add("aaaaaaaaaaaa"));
    EXPECT_THAT(query()->runs(), SizeIs(1));
    EXPECT_THAT(whyRefused([&] {
                    control.change([&](storage::RunStore& store) {
                        add("bbbbbbbbbbbb")(store);
                        throw Error(ErrorCode::InvalidInput, "half of it", "", "");
                    });
                }),
                HasSubstr("half of it"));
    EXPECT_THAT(query()->runs(), SizeIs(1)) << "all or nothing";
    ASSERT_TRUE(eventually([&] { return isFree(); }));
    const auto other = storage::RunStore::open(file_, {"heddle train", 0});
    EXPECT_THAT(whyRefused([&] { control.change(add("cccccccccccc")); }), HasSubstr("in use by heddle train"));
    EXPECT_THAT(query()->runs(), SizeIs(1));
}

INSTANTIATE_TEST_SUITE_P(Hosts, HostTest, testing::Values(DatabaseControl::Host::Thread, DatabaseControl::Host::Child),
                         [](const auto& host) { return host.param == DatabaseControl::Host::Thread ? "Thread" : "Child"; });

TEST(Server, EndsWhenIdleAndTrainsWhatWasLeftQueued) {
    const TemporaryFolder folder;
    const auto engine = std::make_shared<FakeEngine>();
    RunSession::Options options;
    options.database = folder / "t.heddle";
    options.engine = [engine = engine] { return engine; };
    options.cacheFolder = folder / "cache";
    std::string run;
    {
        engine->stepMilliseconds = 5;
        RunSession first(options);
        first.submit(smallSpec("busy", 100000));
        run = first.submit(smallSpec("left", 5));
    }
    engine->stepMilliseconds = 0;
    bool ready = false;
    EXPECT_EQ(serveDatabase(
                  {options, 0.3}, [&] { ready = true; }, [] { return false; }),
              ServeEnd::Idle);
    EXPECT_TRUE(ready);
    EXPECT_EQ(storage::RunQuery::open(options.database)->run(run)->state, "completed");
    EXPECT_TRUE(storage::currentOwner(options.database).empty());
}

}  // namespace
}  // namespace heddle::app
