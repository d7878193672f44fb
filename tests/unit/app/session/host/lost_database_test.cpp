// SPDX-License-Identifier: Apache-2.0
// The database file is moved, removed or replaced while a run is trained: training waits, and nothing recorded is lost.
#include "app/session/runs/checkpoint_folders.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class LostDatabaseTest : public testing::Test, protected SessionFixture {
protected:
    LostDatabaseTest() {
        engine_->stepMilliseconds = 1;
        engine_->checkpointEvery = 10'000'000;  // none that is due between the loss and its notice
        auto options = sessionOptions("lost database test");
        options.recorder.locationEvery = std::chrono::milliseconds(20);
        session_ = std::make_unique<RunSession>(options);
        run_ = session_->submit(smallSpec("base", 10'000'000));
        EXPECT_TRUE(reaches(run_, "running"));
        EXPECT_TRUE(eventually([&] { return query()->run(run_)->step > 20; }));
    }
    bool isHeld() const {
        return eventually([&] { return session_->heldRuns() == Held{{run_, "database"}}; });
    }
    /// The run in the file that the closed session names, with every loss point up to its last step and a usable checkpoint of
    /// it.
    void expectWhole(const std::string& file) {
        const auto view = storage::RunQuery::open(file);
        const auto run = view->run(run_);
        ASSERT_TRUE(run.has_value());
        EXPECT_EQ(run->state, "stopped");
        EXPECT_GT(run->step, 20);
        EXPECT_EQ(static_cast<std::int64_t>(view->points(run_, "loss", "", 0, 10'000'000).size()), run->step);
        const auto choice = newestVerified(storage::artifactFolder(file), view->checkpoints(run_));
        ASSERT_TRUE(choice.checkpoint.has_value());
        EXPECT_EQ(choice.checkpoint->step, run->step) << "it goes on where it stopped";
        EXPECT_THAT(choice.skipped, IsEmpty());
    }

    using Held = std::map<std::string, std::string>;
    const fs::path home_ = fs::path(file_).parent_path();
    std::unique_ptr<RunSession> session_;
    std::string run_;
};

TEST_F(LostDatabaseTest, ARemovedOneIsWrittenAgain) {
    fs::remove(file_);
    ASSERT_TRUE(isHeld());
    EXPECT_THAT(session_->recorderProblem(), AllOf(HasSubstr("training is paused, nothing is lost"), HasSubstr("was removed"),
                                                   HasSubstr(file_), HasSubstr("restore it")));
    EXPECT_EQ(session_->close(), "");
    EXPECT_EQ(session_->database(), file_);
    EXPECT_THAT(session_->recoveryNotice(), HasSubstr("everything recorded is in " + file_));
    expectWhole(file_);
    session_.reset();
    const auto again = open();
    engine_->stepMilliseconds = 0;
    again->resume(run_);
    ASSERT_TRUE(eventually([&] { return engine_->trained == 2; }));
}

TEST_F(LostDatabaseTest, OneWhoseFolderIsRemovedIsWrittenAgainWithItsFolder) {
    const fs::path aside = home_.string() + ".gone";
    fs::rename(home_, aside);  // at once: a checkpoint that is being written would put a folder back
    fs::remove_all(aside);
    ASSERT_TRUE(isHeld());
    EXPECT_FALSE(fs::exists(home_)) << "so that the old one can be put back";
    EXPECT_EQ(session_->close(), "");
    expectWhole(file_);
}

TEST_F(LostDatabaseTest, OneThatIsPutBackGoesOn) {
    fs::rename(file_, folder_ / "elsewhere");
    ASSERT_TRUE(isHeld());
    EXPECT_THAT(session_->recorderProblem(), HasSubstr("was moved to " + (folder_ / "elsewhere")));
    const auto checkpointed = [&] { return query()->run(run_)->step; };
    fs::rename(folder_ / "elsewhere", file_);
    ASSERT_TRUE(eventually([&] { return session_->heldRuns().empty(); }));
    const auto step = checkpointed();
    EXPECT_TRUE(eventually([&] { return query()->run(run_)->step > step; }));
    EXPECT_EQ(session_->recorderProblem(), "");
    EXPECT_GT(query()->checkpoints(run_).back().step, 0) << "one was written when it was missed";
    EXPECT_EQ(session_->close(), "");
    EXPECT_EQ(session_->recoveryNotice(), "");
    expectWhole(file_);
}

TEST_F(LostDatabaseTest, AMovedOneIsCompletedUnderItsNewName) {
    const std::string elsewhere = folder_ / "elsewhere.heddle";
    fs::rename(file_, elsewhere);
    ASSERT_TRUE(isHeld());
    EXPECT_EQ(session_->close(), "");
    EXPECT_EQ(session_->database(), elsewhere);
    EXPECT_FALSE(fs::exists(file_));
    session_.reset();
    expectWhole(elsewhere);
}

TEST_F(LostDatabaseTest, OneInAMovedFolderIsCompletedThere) {
    const fs::path moved = home_.string() + "-moved";
    fs::rename(home_, moved);
    ASSERT_TRUE(isHeld());
    EXPECT_FALSE(fs::exists(home_));
    EXPECT_EQ(session_->close(), "");
    EXPECT_EQ(session_->database(), (moved / "t.heddle").string());
    session_.reset();
    expectWhole((moved / "t.heddle").string());
    fs::remove_all(moved);
}

TEST_F(LostDatabaseTest, AReplacedOneIsWrittenBesideTheOther) {
    std::ofstream(file_ + ".new") << "something else";
    fs::rename(file_ + ".new", file_);  // at no moment is there no file
    ASSERT_TRUE(isHeld());
    EXPECT_THAT(session_->recorderProblem(), HasSubstr("was replaced by another one"));
    EXPECT_EQ(session_->close(), "");
    EXPECT_EQ(session_->database(), folder_ / "t.recovered.heddle");
    session_.reset();
    expectWhole(folder_ / "t.recovered.heddle");
    std::string text;
    std::getline(std::ifstream(file_), text);
    EXPECT_EQ(text, "something else");
}

TEST_F(LostDatabaseTest, AMovedOneThatAnotherProgramHasWrittenToIsLeftAlone) {
    const std::string elsewhere = folder_ / "elsewhere.heddle";
    fs::rename(file_, elsewhere);
    ASSERT_TRUE(isHeld());
    fs::last_write_time(elsewhere, fs::last_write_time(elsewhere) + std::chrono::seconds(5));
    const auto bytes = fs::file_size(elsewhere);
    EXPECT_EQ(session_->close(), "");
    EXPECT_EQ(session_->database(), file_);
    session_.reset();
    expectWhole(file_);
    EXPECT_EQ(fs::file_size(elsewhere), bytes);
}

TEST_F(LostDatabaseTest, ARemovedLogIsNoticedAndTheFileCompleted) {
    fs::remove(file_ + "-wal");
    ASSERT_TRUE(isHeld());
    EXPECT_THAT(session_->recorderProblem(), HasSubstr("(-wal) was removed"));
    EXPECT_EQ(session_->close(), "");
    EXPECT_EQ(session_->database(), file_);
    session_.reset();
    expectWhole(file_);
}

TEST_F(LostDatabaseTest, WhereNothingCanBeWrittenItIsSaid) {
    const fs::path aside = home_.string() + ".gone";
    fs::rename(home_, aside);  // at once: a checkpoint that is being written would put a folder back
    fs::remove_all(aside);
    std::ofstream(home_) << "in the way";
    EXPECT_THAT(session_->close(), HasSubstr("could not be saved"));
    session_.reset();
    fs::remove(home_);
}

}  // namespace
}  // namespace heddle::app
