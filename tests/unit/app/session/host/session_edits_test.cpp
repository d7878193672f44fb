// SPDX-License-Identifier: Apache-2.0
// What users change of runs and of the database, with and without an owner.
#include "app/session/host/run_session.h"
#include "app/session/requests/ask_owner.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SessionEditsTest : public testing::Test, protected SessionFixture {};

TEST_F(SessionEditsTest, ADeleteThatWasKilledIsCompletedByTheNextOwner) {
    std::string run;
    {
        const auto session = open();
        run = session->submit(smallSpec("base", 5));
        ASSERT_TRUE(ends(*session, run));
    }
    const std::string left = storage::artifactFolder(file_) + "/" + run;
    storage::RunStore::open(file_, {"killed after the commit", 0})->deleteRun(run);
    ASSERT_TRUE(std::filesystem::exists(left));
    open();
    EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(SessionEditsTest, EditsWorkWithAndWithoutAnOwner) {
    std::string run;
    {
        const auto session = open();
        run = session->submit(smallSpec("base", 5));
        ASSERT_TRUE(ends(*session, run));
        edit(file_, TagRun{run, {"while owned"}, {}});
        EXPECT_THAT(query()->run(run)->tags, ElementsAre("while owned"));
    }
    edit(file_, TagRun{run, {"alone"}, {"while owned"}});
    EXPECT_THAT(query()->run(run)->tags, ElementsAre("alone"));
    edit(file_, DeleteRun{run});
    EXPECT_FALSE(query()->run(run).has_value());
    EXPECT_FALSE(std::filesystem::exists(storage::artifactFolder(file_) + "/" + run));
}

TEST_F(SessionEditsTest, ATrashedRunIsKeptWholeAndComesBack) {
    const auto session = open();
    const auto run = session->submit(smallSpec("base", 5));
    ASSERT_TRUE(ends(*session, run));
    session->edit(TrashRun{run});
    const double when = query()->run(run)->trashed;
    EXPECT_GT(when, 1.7e9);
    session->edit(TrashRun{run});
    EXPECT_EQ(query()->run(run)->trashed, when) << "the first time counts";
    session->edit(RenameRun{run, "other"});
    EXPECT_EQ(query()->run(run)->trashed, when) << "another edit does not restore it";
    EXPECT_TRUE(std::filesystem::exists(storage::artifactFolder(file_) + "/" + run));
    answerTo({0, "restore", run, ""});
    EXPECT_EQ(query()->run(run)->trashed, 0);
    answerTo({0, "trash", run, ""});
    EXPECT_GT(query()->run(run)->trashed, 0);
    session->edit(DeleteRun{run});
    EXPECT_FALSE(query()->run(run).has_value());
    EXPECT_FALSE(std::filesystem::exists(storage::artifactFolder(file_) + "/" + run));
    EXPECT_THROW(session->edit(TrashRun{run}), Error) << "it is gone";
    EXPECT_THROW(answerTo({0, "fly", "", "{}"}), Error);
}

TEST_F(SessionEditsTest, AnActiveRunCannotBeTrashedAndATrashedOneIsNotStarted) {
    engine_->stepMilliseconds = 2;
    const auto session = open();
    const auto running = session->submit(smallSpec("base", 100000));
    const auto waiting = session->submit(smallSpec("next", 10));
    ASSERT_TRUE(reaches(running, "running"));
    EXPECT_THROW(session->edit(TrashRun{running}), Error);
    session->edit(TrashRun{waiting});
    EXPECT_THAT(session->waiting(), IsEmpty());
    session->command(running, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, running));
    EXPECT_EQ(stateOf(waiting), "queued");
    EXPECT_GT(query()->run(waiting)->trashed, 0);
}

TEST_F(SessionEditsTest, ItemsOfTheDatabaseAreEditedHereAndThroughTheInbox) {
    const auto session = open();
    session->edit(PutItem{"pin", "baseline", {{"variant", "abc"}}});
    answerTo({0, "put_item", "", R"({"kind":"pin","key":"other","body":{"order":2}})"});
    const auto items = query()->items("pin");
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].key, "baseline");
    EXPECT_EQ(items[0].body, R"({"variant":"abc"})");
    EXPECT_EQ(items[1].body, R"({"order":2})");
    session->edit(RemoveItem{"pin", "baseline"});
    EXPECT_EQ(query()->items("pin").size(), 1U);
    EXPECT_THROW(answerTo({0, "put_item", "", R"({"kind":"pin","body":1})"}), Error) << "no key";
}

}  // namespace
}  // namespace heddle::app
