// SPDX-License-Identifier: GPL-3.0-or-later
// What the window offers when it opens a database: interrupted runs, a queue that was left, a lost GPU, a database of its
// folder.
#include "app/session/host/database_control.h"
#include "storage/run_store.h"
#include "tests/ui/studio/studio_fixture.h"

#include <QDir>
#include <QScopeGuard>

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::studio;
using namespace heddle::studio::test;

namespace {

class OffersTest : public StudioFixture {};

}  // namespace

TEST_F(OffersTest, AnInterruptedRunIsOfferedForResume) {
    const std::string run = "00000000000a";
    {
        const auto store = storage::RunStore::open(file_, {"doomed", 0});
        store->begin();
        auto record = app::killedRecord(run);
        record.step = 27;
        store->addRun(record);
        store->commit(storage::RunStore::Durability::Full);
    }
    startOn(file_);
    ASSERT_TRUE(waitUntil([&] { return window().messages().isVisible(); }));
    EXPECT_EQ(window().messages().titles().value(0), text("A run was interrupted: killed s0 at step 27"));
    pressInStrip("resume");
    EXPECT_TRUE(reaches(run, "completed"));
    EXPECT_FALSE(window().messages().isVisible());
}

TEST_F(OffersTest, OffersOfTwoDatabasesStayUntilEachIsAnswered) {
    const std::string beside = folder_ / "beside.heddle", first = "00000000000a", second = "00000000000b";
    const auto leave = [](const std::string& file, const std::string& run) {
        const auto store = storage::RunStore::open(file, {"doomed", 0});
        store->begin();
        auto record = app::killedRecord(run);
        record.name = run;
        store->addRun(record);
        store->commit(storage::RunStore::Durability::Full);
    };
    leave(file_, first);
    leave(beside, second);
    startOn(file_);
    program_->studio().openBeside(QString::fromStdString(beside));
    const auto shows = [&](const std::string& words) { return shownMessages().find(words) != std::string::npos; };
    ASSERT_TRUE(waitUntil([&] { return shows(first) && shows(second); })) << shownMessages();
    for (const char* words : {"Something else", "And again"})
        program_->studio().report(MessageStrip::Message{StripKind::Info, text(words)});
    EXPECT_TRUE(shows(first) && shows(second)) << "information hides no offer";
    pressInStrip("watch");
    EXPECT_TRUE(waitUntil([&] { return window().shownPage()->id() == PageId::Watch; }));
    EXPECT_TRUE(shows(first) && shows(second)) << "looking is no answer";

    const auto* offered = [&]() -> const MessageStrip* {
        for (const auto* strip : window().messages().findChildren<MessageStrip*>())
            if (strip->isVisible() && strip->title().contains(QString::fromStdString(first))) return strip;
        return nullptr;
    }();
    ASSERT_NE(offered, nullptr);
    QTest::mouseClick(button(*offered, "resume"), Qt::LeftButton);
    EXPECT_TRUE(reaches(first, "completed"));
    EXPECT_FALSE(shows(first));
    ASSERT_TRUE(shows(second)) << shownMessages();
    databases().close(record(second)->ref.database);
    EXPECT_FALSE(shows(second)) << "nobody can resume it from here";
}

TEST_F(OffersTest, TheOfferOfAQueueEndsWhenTheQueueRuns) {
    {
        app::RunSession owner(session());
        owner.submit(app::smallSpec("busy", 100000));
        owner.submit(app::smallSpec("left", 5));
        ASSERT_TRUE(waitUntil([&] { return owner.waiting().size() == 1; })) << "else both wait, and the long one goes first";
    }
    startOn(file_);
    ASSERT_TRUE(waitUntil([&] { return button(window().messages(), "startQueue") != nullptr; }));
    for (const auto* run : databases().runs())
        if (run->name == "left") program_->studio().verbs().carryOut(run->ref, RunVerb::Start);  // on a page, not in the strip
    EXPECT_TRUE(waitUntil([&] { return button(window().messages(), "startQueue") == nullptr; })) << shownMessages();
}

TEST_F(OffersTest, AfterALostGpuAnotherProcessIsOffered) {
    engine_->loseAt = 15;
    startOn(file_);
    const std::string run = composeAndStart("1");
    ASSERT_TRUE(reaches(run, "failed"));
    ASSERT_TRUE(
        waitUntil([&] { return window().messages().titles().contains(text("The GPU no longer works in this window")); }));
    pressInStrip("continueInChild");
    ASSERT_TRUE(reaches(run, "running"));
    EXPECT_TRUE(waitUntil([&] { return engine_->trainedFrom == 10; })) << "from the newest checkpoint";
    EXPECT_THAT(storage::currentOwner(file_).program, testing::HasSubstr("child"));
    EXPECT_EQ(storedHost(settings_), EngineHost::Child);
}

TEST_F(OffersTest, WhatWaitedInTheQueueIsOffered) {
    {
        app::RunSession owner(session());
        owner.submit(app::smallSpec("busy", 100000));
        owner.submit(app::smallSpec("left", 5));
        ASSERT_TRUE(waitUntil([&] { return owner.waiting().size() == 1; })) << "else both wait, and the long one goes first";
    }
    startOn(file_);
    pressInStrip("startQueue");
    EXPECT_TRUE(waitUntil([&] {
        return std::any_of(databases().runs().begin(), databases().runs().end(),
                           [](const auto* run) { return run->name == "left" && run->state == "completed"; });
    }));
}

TEST_F(OffersTest, TheDatabaseOfTheFolderIsOfferedWhenItIsMadeAndOpenedWhenItIsThere) {
    trained("base", 3);
    const QString folder = QString::fromStdString(folder_ / "here"), before = QDir::currentPath();
    const auto back = qScopeGuard([&] { QDir::setCurrent(before); });
    ASSERT_TRUE(QDir().mkpath(folder) && QDir::setCurrent(folder));
    settings_.setValue(text("databases/last"), QString::fromStdString(file_));
    start();
    program_->openDefault();
    ASSERT_TRUE(waitUntil([&] { return databases().currentFile() == QString::fromStdString(file_); })) << "the last one";
    app::createDatabase("runs.heddle");
    pressInStrip("openBeside");
    EXPECT_TRUE(waitUntil([&] { return databases().all().size() == 2; }));
    program_->shutDown(StudioProgram::Closing::Stop);
    start();
    program_->openDefault();
    EXPECT_TRUE(waitUntil([&] { return databases().currentFile().endsWith(text("/here/runs.heddle")); }));
}
