// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/feed.h"
#include "storage/run_store.h"
#include "tests/ui/support/offscreen.h"

#include <QtTest/qtestsystem.h>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

class FeedTest : public testing::Test {
protected:
    FeedTest() {
        const QString file = folder_.filePath(QStringLiteral("runs.heddle"));
        store_ = storage::RunStore::open(file.toStdString(), {"test", 0});
        for (const char* id : {"000000000001", "000000000002"}) store_->addRun(runOf(id));
        feed_.open(file);
        EXPECT_TRUE(waitUntil([&] { return feed_.runs().size() == 2; }));
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
    Feed feed_;
    QSignalSpy rows_{&feed_, &Feed::runsChanged}, progress_{&feed_, &Feed::progressed};
};

}  // namespace

TEST_F(FeedTest, AStepOfATrainingIsProgressAndNoOtherRow) {
    rows_.clear();
    const auto* before = feed_.run("000000000001");
    auto run = *before;
    run.step = 7;
    run.epoch = 1;
    run.seconds = 3;
    store_->updateRun(run);
    ASSERT_TRUE(waitUntil([&] { return !progress_.empty(); }));
    EXPECT_TRUE(rows_.empty());
    EXPECT_EQ(feed_.run("000000000001"), before) << "taken in place";
    EXPECT_EQ(before->step, 7);
    EXPECT_EQ(before->seconds, 3);
    EXPECT_EQ(feed_.run("000000000002")->step, 0);
}

TEST_F(FeedTest, AnythingElseOfARunIsAnotherRow) {
    rows_.clear();
    auto run = *feed_.run("000000000002");
    run.step = 9;
    run.state = "paused";
    store_->updateRun(run);
    ASSERT_TRUE(waitUntil([&] { return !rows_.empty(); }));
    EXPECT_TRUE(progress_.empty());
    EXPECT_EQ(feed_.run("000000000002")->state, "paused");

    rows_.clear();
    store_->addRun(runOf("000000000003"));
    ASSERT_TRUE(waitUntil([&] { return !rows_.empty(); }));
    EXPECT_EQ(feed_.runs().size(), 3U);
    EXPECT_EQ(feed_.runs().front().id, "000000000003") << "newest first";

    rows_.clear();
    store_->deleteRun("000000000001");
    ASSERT_TRUE(waitUntil([&] { return !rows_.empty(); }));
    EXPECT_EQ(feed_.runs().size(), 2U);
    EXPECT_FALSE(feed_.run("000000000001"));
}

TEST_F(FeedTest, TheLastOfManyFastStepsIsTold) {
    auto run = *feed_.run("000000000001");
    progress_.clear();
    rows_.clear();
    for (int step = 1; step <= 40; ++step) {
        run.step = step;
        store_->updateRun(run);
        QTest::qWait(20);
    }
    ASSERT_TRUE(waitUntil([&] { return feed_.run("000000000001")->step == 40; }));
    EXPECT_LT(progress_.size(), 40) << "not every commit wakes the window";
    EXPECT_TRUE(rows_.empty());
}

TEST_F(FeedTest, AStateIsToldThoughAStepHasJustBeen) {
    auto run = *feed_.run("000000000001");
    run.step = 5;
    store_->updateRun(run);
    ASSERT_TRUE(waitUntil([&] { return feed_.run("000000000001")->step == 5; }));
    rows_.clear();
    run.step = 6;
    run.state = "paused";
    store_->updateRun(run);
    ASSERT_TRUE(waitUntil([&] { return !rows_.empty(); }));
    EXPECT_EQ(feed_.run("000000000001")->state, "paused");
    run.step = 7;  // a change of a run that is not in work is no progress
    store_->updateRun(run);
    EXPECT_TRUE(waitUntil([&] { return feed_.run("000000000001")->step == 7; }));
}
