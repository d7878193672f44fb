// SPDX-License-Identifier: GPL-3.0-or-later
// Verbs in the whole window: the palette and the menus act on what the shown page shows, and two windows share a database.
#include "tests/ui/studio/studio_fixture.h"
#include "ui/pages/library/library_runs.h"
#include "ui/window/command_palette.h"

#include <QtTest/qtestkeyboard.h>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTreeView>

using namespace heddle;
using namespace heddle::studio;
using namespace heddle::studio::test;

namespace {

/// Two runs on one device: Watch shows the first, which trains; Library has chosen the second, which waits.
class VerbsTest : public StudioFixture {
protected:
    void SetUp() override {
        startOn(file_);
        first_ = composeAndStart("1");
        ASSERT_TRUE(reaches(first_, "running"));
        second_ = composeAndStart("2");
        ASSERT_TRUE(reaches(second_, "queued"));
        chooseInLibrary(second_);
        program_->studio().setCurrentRun(record(first_)->ref);
        window().showPage(PageId::Watch);
        ASSERT_TRUE(waitUntil([&] { return window().shownPage()->isSettled() && button(page(), "pause"); }));
        label_ = runLabel(*record(first_));
    }
    void chooseInLibrary(const std::string& run) {
        window().showPage(PageId::Library);
        auto& panel = *page().findChild<LibraryRuns*>();
        ASSERT_TRUE(waitUntil([&] { return panel.isSettled() && panel.model().indexOf(refOf(run)).isValid(); }));
        panel.view().selectionModel()->setCurrentIndex(panel.model().indexOf(refOf(run)),
                                                       QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    CommandPalette& openPalette() {
        QTest::keyClick(&window(), Qt::Key_K, Qt::ControlModifier);
        return *window().findChild<CommandPalette*>();
    }
    /// Gives the window back what a window manager gives it when the palette closes.
    bool activates() {
        window().activateWindow();
        return waitUntil([&] { return window().isActiveWindow(); });
    }
    QStringList offered() {
        QStringList titles;
        const CommandList& list = openPalette().list();
        for (int row = 0; row < list.rowCount(); ++row)
            if (list.command(row).kind == CommandKind::Action) titles << list.command(row).title;
        openPalette().reject();
        return titles;
    }
    QStringList runMenu() {
        QStringList titles;
        for (const QAction* action : named<QMenu>(window(), "runMenu").actions())
            if (action->isVisible()) titles << action->text();
        return titles;
    }
    void enterInPalette(const char* words) {
        auto& palette = openPalette();
        QTest::keyClicks(palette.findChild<QLineEdit*>(), text(words));
        QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
    }

    std::string first_, second_;
    QString label_;
};

}  // namespace

TEST_F(VerbsTest, ThePaletteStopsTheRunOfTheShownPage) {
    enterInPalette("stop");
    ASSERT_TRUE(reaches(first_, "stopped"));
    EXPECT_NE(record(second_)->state, "stopped") << "it is chosen on a page that is not shown";
}

TEST_F(VerbsTest, ThePaletteOffersWhatTheShownPageCanDo) {
    const QStringList onWatch = offered();
    for (const char* verb : {"Pause ", "Stop ", "Write a checkpoint of ", "Clone "})
        EXPECT_TRUE(onWatch.contains(text(verb) + label_)) << verb << onWatch.join(QLatin1Char('\n')).toStdString();
    EXPECT_TRUE(onWatch.filter(text("Delete")).isEmpty());
    EXPECT_TRUE(onWatch.filter(runLabel(*record(second_))).isEmpty()) << "nothing about what Library has chosen";
    EXPECT_TRUE(onWatch.contains(text("Settings…"))) << "the window's own";
    window().showPage(PageId::Library);
    const QStringList onLibrary = offered();
    EXPECT_TRUE(onLibrary.contains(text("Delete ") + runLabel(*record(second_))));
    QStringList ofTheRunOnWatch = onLibrary.filter(label_);
    for (const char* verb : {"Pause ", "Stop ", "Write a checkpoint of "})
        EXPECT_EQ(ofTheRunOnWatch.removeAll(text(verb) + label_), 1) << verb;
    EXPECT_TRUE(ofTheRunOnWatch.isEmpty()) << "of a run in training nothing but its verbs: "
                                           << ofTheRunOnWatch.join(QLatin1Char('\n')).toStdString();
}

TEST_F(VerbsTest, ThePaletteActsOnARunInTrainingFromEveryPage) {
    for (const PageId page : {PageId::Compose, PageId::Inspect, PageId::Compare}) {
        window().showPage(page);
        ASSERT_TRUE(settles() && activates());
        const bool isRunning = record(first_)->state == "running";
        const char* const verb = isRunning ? "pause" : "resume";
        const QString title = text(isRunning ? "Pause " : "Resume ") + label_;
        ASSERT_TRUE(waitUntil([&] { return offered().contains(title); })) << "once the window has read the run's state";
        auto& palette = openPalette();
        QTest::keyClicks(palette.findChild<QLineEdit*>(), text(verb));
        ASSERT_GE(palette.list().rowCount(), 1) << verb;
        EXPECT_EQ(palette.list().command(0).title, title);
        QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
        ASSERT_TRUE(reaches(first_, verb == std::string("pause") ? "paused" : "running")) << verb;
    }
    window().showPage(PageId::Compose);
    ASSERT_TRUE(activates());
    enterInPalette("stop");
    ASSERT_TRUE(reaches(first_, "stopped"));
}

TEST_F(VerbsTest, TheMenuOfWatchHasItsVerbs) {
    const QStringList run = runMenu();
    for (const char* verb : {"Pause ", "Stop ", "Write a checkpoint of "})
        EXPECT_TRUE(run.contains(text(verb) + label_)) << verb << run.join(QLatin1Char('\n')).toStdString();
    enterInPalette("pause");
    ASSERT_TRUE(reaches(first_, "paused"));
    EXPECT_TRUE(runMenu().contains(text("Resume ") + label_));
}

TEST_F(VerbsTest, ACompletedRunIsNowhereOfferedForResume) {
    program_->shutDown(StudioProgram::Closing::Stop);
    waitUntil([&] { return !window().isVisible(); });
    const std::string done = trained("done", 3);
    startOn(file_);
    ASSERT_TRUE(reaches(done, "completed"));
    program_->studio().setCurrentRun(refOf(done));
    window().showPage(PageId::Watch);
    ASSERT_TRUE(waitUntil([&] { return window().shownPage()->isSettled(); }));
    EXPECT_EQ(button(page(), "resume"), nullptr);
    EXPECT_TRUE(offered().filter(text("Resume")).isEmpty());
    chooseInLibrary(done);
    ASSERT_TRUE(waitUntil([&] { return button(page(), "compare") != nullptr; }));
    EXPECT_EQ(button(page(), "resume"), nullptr);
    EXPECT_TRUE(offered().filter(text("Resume")).isEmpty());
}

TEST_F(StudioFixture, AVerbIsShownAtOnceWhereAnotherProgramTrains) {
    app::RunSession owner(session());
    const auto run = owner.submit(app::smallSpec("elsewhere", 100000));
    startOn(file_);
    ASSERT_TRUE(reaches(run, "running"));
    program_->studio().setCurrentRun(refOf(run));
    window().showPage(PageId::Watch);
    press("pause");
    EXPECT_EQ(program_->studio().stateWord(*record(run)), text("Pausing…"));
    bool isShown = false;
    for (const auto* found : page().findChildren<QAbstractButton*>())
        isShown = isShown || (found->isVisible() && found->text() == text("Pausing…"));
    EXPECT_TRUE(isShown) << "where it was pressed";
    ASSERT_TRUE(reaches(run, "paused"));
    EXPECT_EQ(program_->studio().stateWord(*record(run)), text("Paused"));
    press("resume");
    EXPECT_EQ(program_->studio().stateWord(*record(run)), text("Resuming…"));
    EXPECT_TRUE(reaches(run, "running"));
}
