// SPDX-License-Identifier: Apache-2.0
// The child host with the built program and the real engine: a process that outlives the one that started it.
#include "app/session/host/database_control.h"
#include "engine/spec/catalogue.h"
#include "storage/run_query.h"
#include "storage/run_store.h"
#include "tests/eventually.h"
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <chrono>
#include <cstdlib>

namespace heddle::integration {
namespace {

using app::DatabaseControl;
using testing::HasSubstr;

/// A process loads LibTorch before it trains.
constexpr std::chrono::seconds kPatience{60};

class ChildHostTest : public testing::Test {
protected:
    ChildHostTest() {
        // Of this process and of what it starts: logs and encoded corpora beside the test's database.
        setenv("XDG_STATE_HOME", (shop_ / "state").c_str(), 1);
        setenv("XDG_CACHE_HOME", (shop_ / "cache").c_str(), 1);
        app::createDatabase(file_);
    }
    ~ChildHostTest() override {
        if (const pid_t server = serverPid(); server > 0) kill(server, SIGKILL);
    }

    std::unique_ptr<DatabaseControl> control() const {
        DatabaseControl::Options options;
        options.session.database = file_;
        options.host = DatabaseControl::Host::Child;
        return std::make_unique<DatabaseControl>(options);
    }
    RunSpec spec(std::int64_t steps) const {
        Json document = parseJson(shop_.read("spec.json"), "spec.json");
        applySet(document, "train.steps=" + std::to_string(steps));
        applySet(document, "train.epochs=0");
        return RunSpec::parse(document, builtinCatalogue(), (shop_ / "").string());
    }
    /// 0 when nobody serves.
    pid_t serverPid() const {
        const storage::Owner owner = storage::currentOwner(file_);
        return owner.program == "heddle serve" ? static_cast<pid_t>(owner.pid) : 0;
    }
    storage::RunRecord record(const std::string& run) const { return storage::RunQuery::open(file_)->run(run).value(); }
    bool reaches(const std::string& run, const std::string& state) const {
        return eventually([&] { return record(run).state == state; }, kPatience);
    }
    bool reachesStep(const std::string& run, std::int64_t step) const {
        return eventually([&] { return record(run).step >= step; }, kPatience);
    }

    const Workshop shop_;
    const std::string file_ = (shop_ / Workshop::database()).string();
};

TEST_F(ChildHostTest, TrainsOnWhenItsStarterIsGoneAndObeysTheNext) {
    std::string run;
    {
        const auto first = control();
        run = first->submit(spec(100000), "");
        ASSERT_TRUE(reachesStep(run, 5));
    }
    const auto before = record(run).step;
    EXPECT_GT(serverPid(), 0);
    ASSERT_TRUE(reachesStep(run, before + 5)) << "nobody looks, and it goes on";
    const auto next = control();
    next->command(run, RunVerb::Pause, "user");
    ASSERT_TRUE(reaches(run, "paused"));
    next->command(run, RunVerb::Resume, "user");
    ASSERT_TRUE(reaches(run, "running"));
    next->edit(RenameRun{run, "renamed"});
    EXPECT_EQ(record(run).name, "renamed");
    next->command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(run, "stopped"));
}

TEST_F(ChildHostTest, ATermSignalEndsItWithACheckpoint) {
    const auto here = control();
    const auto run = here->submit(spec(100000), "");
    ASSERT_TRUE(reachesStep(run, 5));
    kill(serverPid(), SIGTERM);
    ASSERT_TRUE(reaches(run, "stopped"));
    ASSERT_TRUE(eventually([&] { return storage::currentOwner(file_).empty(); }, kPatience));
    const auto checkpoints = storage::RunQuery::open(file_)->checkpoints(run);
    ASSERT_FALSE(checkpoints.empty());
    EXPECT_EQ(checkpoints.back().step, record(run).step);
}

TEST_F(ChildHostTest, AKilledOneLeavesARunThatGoesOnWithEqualBits) {
    const auto here = control();
    const auto run = here->submit(spec(400), "");
    ASSERT_TRUE(reachesStep(run, 45));
    kill(serverPid(), SIGKILL);
    ASSERT_TRUE(reaches(run, "interrupted"))
        << "recorded by whoever looks; it is " << record(run).state << " at step " << record(run).step << ", served by '"
        << storage::currentOwner(file_).text() << "'";
    here->resume(run);
    ASSERT_TRUE(reaches(run, "completed"));
    EXPECT_NE(storage::RunQuery::open(file_)->attempts(run).at(1).replay, "different");
    EXPECT_EQ(record(run).step, 400);
}

TEST(Serve, SaysWhenItIsReadyAndEndsWhenIdle) {
    const Workshop shop;
    const auto served = shop.run({"serve", "--idle", "1"});
    EXPECT_EQ(served.code, 0) << served.err;
    EXPECT_THAT(served.out, HasSubstr("serving "));
    EXPECT_THAT(served.out, HasSubstr(", pid "));
}

}  // namespace
}  // namespace heddle::integration
