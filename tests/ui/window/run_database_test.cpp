// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_database.h"
#include "storage/run_store.h"
#include "tests/ui/support/offscreen.h"

#include <QtTest/qtestsystem.h>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

class RunDatabaseTest : public testing::Test {
protected:
    RunDatabaseTest() {
        const QString file = folder_.filePath(QStringLiteral("runs.heddle"));
        store_ = storage::RunStore::open(file.toStdString(), {"test", 0});
        for (const char* id : {"000000000001", "000000000002"}) store_->addRun(runOf(id));
        database_.open();
        EXPECT_TRUE(waitUntil([&] { return database_.runs().size() == 2; }));
    }

    static storage::RunRecord runOf(const std::string& id) {
        storage::RunRecord run;
        run.id = id;
        run.name = "run";
        run.state = "running";
        run.spec = "{}";
        run.created = double(id.back());
        run.totalSteps = 100;
        return run;
    }

    const QTemporaryDir folder_;
    std::unique_ptr<storage::RunStore> store_;
    RunDatabase database_{1, folder_.filePath(QStringLiteral("runs.heddle"))};
    QSignalSpy rows_{&database_, &RunDatabase::runsChanged}, progress_{&database_, &RunDatabase::progressed};
};

}  // namespace

TEST_F(RunDatabaseTest, AStepOfATrainingIsProgressAndNoOtherRow) {
    rows_.clear();
    const auto* before = database_.run("000000000001");
    auto run = *before;
    run.step = 7;
    run.epoch = 1;
    run.seconds = 3;
    store_->updateRun(run);
    ASSERT_TRUE(waitUntil([&] { return !progress_.empty(); }));
    EXPECT_TRUE(rows_.empty());
    EXPECT_EQ(database_.run("000000000001"), before) << "taken in place";
    EXPECT_EQ(before->step, 7);
    EXPECT_EQ(before->seconds, 3);
    EXPECT_EQ(database_.run("000000000002")->step, 0);
}

TEST_F(RunDatabaseTest, AnythingElseOfARunIsAnotherRow) {
    rows_.clear();
    auto run = *database_.run("000000000002");
    run.step = 9;
    run.state = "paused";
    store_->updateRun(run);
    ASSERT_TRUE(waitUntil([&] { return !rows_.empty(); }));
    EXPECT_TRUE(progress_.empty());
    EXPECT_EQ(database_.run("000000000002")->state, "paused");

    rows_.clear();
    store_->addRun(runOf("000000000003"));
    ASSERT_TRUE(waitUntil([&] { return !rows_.empty(); }));
    EXPECT_EQ(database_.runs().size(), 3U);
    EXPECT_EQ(database_.runs().front().id, "000000000003") << "newest first";

    rows_.clear();
    store_->deleteRun("000000000001");
    ASSERT_TRUE(waitUntil([&] { return !rows_.empty(); }));
    EXPECT_EQ(database_.runs().size(), 2U);
    EXPECT_FALSE(database_.run("000000000001"));
}

TEST_F(RunDatabaseTest, TheLastOfManyFastStepsIsTold) {
    auto run = *database_.run("000000000001");
    progress_.clear();
    rows_.clear();
    for (int step = 1; step <= 40; ++step) {
        run.step = step;
        store_->updateRun(run);
        QTest::qWait(20);
    }
    ASSERT_TRUE(waitUntil([&] { return database_.run("000000000001")->step == 40; }));
    EXPECT_LT(progress_.size(), 40) << "not every commit wakes the window";
    EXPECT_TRUE(rows_.empty());
}

TEST_F(RunDatabaseTest, AStateIsToldThoughAStepHasJustBeen) {
    auto run = *database_.run("000000000001");
    run.step = 5;
    store_->updateRun(run);
    ASSERT_TRUE(waitUntil([&] { return database_.run("000000000001")->step == 5; }));
    rows_.clear();
    run.step = 6;
    run.state = "paused";
    store_->updateRun(run);
    ASSERT_TRUE(waitUntil([&] { return !rows_.empty(); }));
    EXPECT_EQ(database_.run("000000000001")->state, "paused");
    run.step = 7;  // a change of an inactive run is no progress
    store_->updateRun(run);
    EXPECT_TRUE(waitUntil([&] { return database_.run("000000000001")->step == 7; }));
}

TEST_F(RunDatabaseTest, AReadThatFailsIsToldToItsAskerAlone) {
    const QSignalSpy failed(&database_, &RunDatabase::failed), unreadable(&database_, &RunDatabase::unreadable);
    QString told;
    ask(
        &database_, database_.reader(), [](storage::RunQuery&) -> int { throw std::runtime_error("no such page"); },
        [&](const Result<int>& result) {
            ASSERT_FALSE(result) << "there is no result";
            told = result.problem().what;
        });
    ASSERT_TRUE(waitUntil([&] { return !told.isEmpty(); }));
    EXPECT_TRUE(told.contains(QStringLiteral("no such page"))) << told.toStdString();
    EXPECT_TRUE(failed.empty());
    EXPECT_TRUE(unreadable.empty());
}

TEST_F(RunDatabaseTest, AFailedPollIsToldOnceAndDoesNotEndTheFollowing) {
    constexpr qint64 kHeader = 100;
    QSignalSpy unreadable(&database_, &RunDatabase::unreadable);
    database_.setWatched(false);  // the next poll comes in five seconds
    bool isSet = false;
    ask(
        &database_, database_.reader(), [](storage::RunQuery&) {}, [&](const Result<Done>& done) { isSet = bool(done); });
    ASSERT_TRUE(waitUntil([&] { return isSet; }));
    auto run = *database_.run("000000000001");
    run.state = "paused";
    store_->updateRun(run);
    store_.reset();  // all is in the file, and nothing in its log
    QFile file(database_.file());
    ASSERT_TRUE(file.open(QIODevice::ReadWrite));
    const QByteArray whole = file.readAll();
    file.seek(kHeader);
    file.write(QByteArray(whole.size() - kHeader, '\xff'));
    file.flush();
    database_.setWatched(true);
    ASSERT_TRUE(waitUntil([&] { return !unreadable.empty(); }));
    QTest::qWait(600);  // two polls and more
    EXPECT_EQ(unreadable.size(), 1);
    file.seek(kHeader);
    file.write(whole.mid(kHeader));
    file.flush();
    store_ = storage::RunStore::open(database_.file().toStdString(), {"test", 0});
    store_->addRun(runOf("000000000003"));
    EXPECT_TRUE(waitUntil([&] { return database_.runs().size() == 3; }));
    EXPECT_EQ(database_.run("000000000001")->state, "paused");
}
