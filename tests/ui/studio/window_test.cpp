// SPDX-License-Identifier: GPL-3.0-or-later
// The window itself, with pages that do little: rail, menus, keys, palette, session, status bar.
#include "tests/ui/studio/window_fixture.h"
#include "tests/ui/support/run_refs.h"
#include "ui/text/units.h"
#include "ui/window/command_palette.h"
#include "ui/window/help_window.h"
#include "ui/window/shortcut_list.h"
#include "ui/window/status_item.h"
#include "ui/window/status_line.h"

#include <QtTest/qtestmouse.h>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTextBrowser>
#include <QToolButton>
#include <QUrl>

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

QStringList menuTitles(const QMenu& menu) {
    QStringList all;
    for (const QAction* action : menu.actions()) {
        all << QString(action->text()).remove(QLatin1Char('&'));
        if (action->menu()) all += menuTitles(*action->menu());
    }
    return all;
}

}  // namespace

TEST_F(Window, TheRailShowsPagesAndExactlyOneIsShown) {
    EXPECT_TRUE(pages_[0]->isShown());
    auto* compare = &named<QToolButton>(*window_, "compare");
    EXPECT_EQ(compare->accessibleName(), text("Compare"));
    QTest::mouseClick(compare, Qt::LeftButton);
    EXPECT_EQ(window_->shownPage(), pages_[2]);
    EXPECT_FALSE(pages_[0]->isShown());
    EXPECT_TRUE(pages_[2]->isShown());
    studio_->go(PageId::Library);
    EXPECT_EQ(window_->shownPage(), pages_[3]);
    EXPECT_FALSE(compare->isChecked());
}

TEST_F(Window, KeysTravel) {
    keys(Qt::Key_3, Qt::ControlModifier);
    EXPECT_EQ(window_->shownPage(), pages_[2]);
    keys(Qt::Key_Tab, Qt::ControlModifier);
    EXPECT_EQ(window_->shownPage(), pages_[3]);
    keys(Qt::Key_Tab, Qt::ControlModifier);
    EXPECT_EQ(window_->shownPage(), pages_[0]) << "round the end";
    keys(Qt::Key_Tab, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(window_->shownPage(), pages_[3]);
    keys(Qt::Key_F6);
    QWidget* first = QApplication::focusWidget();
    keys(Qt::Key_F6);
    EXPECT_NE(QApplication::focusWidget(), first);
    keys(Qt::Key_F6, Qt::ShiftModifier);
    EXPECT_EQ(QApplication::focusWidget(), first);
}

TEST_F(Window, NoTwoShortcutsClashWhereBothWork) {
    for (Page* page : window_->pages()) {
        window_->showPage(page->id());
        std::map<QString, const QAction*> seen;
        for (const QAction* action : window_->findChildren<QAction*>()) {
            if (!action->isVisible() || action->shortcutContext() == Qt::WidgetWithChildrenShortcut ||
                action->shortcutContext() == Qt::WidgetShortcut)
                continue;
            const QObject* owner = action->parent();
            while (owner && !qobject_cast<const Page*>(owner)) owner = owner->parent();
            if (owner && owner != page) continue;  // the page is hidden, and so is what it would do
            for (const QKeySequence& key : action->shortcuts()) {
                const auto [known, added] = seen.emplace(key.toString(), action);
                EXPECT_TRUE(added) << key.toString().toStdString() << ": " << action->text().toStdString() << " and "
                                   << known->second->text().toStdString();
            }
        }
        EXPECT_GT(seen.size(), 12U);
    }
}

TEST_F(Window, MenusReachEverythingAndFollowThePage) {
    QStringList all;
    for (const QAction* top : window_->menuBar()->actions()) all += menuTitles(*top->menu());
    for (const char* title : {"New database…",
                              "Open database…",
                              "Open recent",
                              "Quit",
                              "Act",
                              "Find a command, run or block",
                              "Compose",
                              "Library",
                              "Panels",
                              "Side",
                              "Light",
                              "Dark",
                              "Follow system",
                              "Reset layout",
                              "Full screen",
                              "Next page",
                              "Next panel",
                              "Settings…",
                              "Help on this page",
                              "Keyboard shortcuts",
                              "About Heddle"})
        EXPECT_TRUE(all.contains(text(title))) << title;
    QSignalSpy first(&pages_[0]->action(), &QAction::triggered), second(&pages_[1]->action(), &QAction::triggered);
    keys(Qt::Key_E, Qt::ControlModifier);
    keys(Qt::Key_2, Qt::ControlModifier);
    keys(Qt::Key_E, Qt::ControlModifier);
    EXPECT_EQ(first.size(), 1) << "the action of the page that is shown";
    EXPECT_EQ(second.size(), 1);
}

TEST_F(Window, ThePaletteOffersActionsRunsBlocksAndHelp) {
    openDatabase("stopped", 10);
    keys(Qt::Key_K, Qt::ControlModifier);
    auto* palette = window_->findChild<CommandPalette*>();
    ASSERT_TRUE(palette && palette->isVisible());
    std::map<CommandKind, int> kinds;
    auto* box = palette->findChild<QLineEdit*>();
    for (int row = 0; row < palette->list().rowCount(); ++row) ++kinds[palette->list().command(row).kind];
    EXPECT_GT(kinds[CommandKind::Action], 15);
    int acts = 0;
    for (int row = 0; row < palette->list().rowCount(); ++row) acts += palette->list().command(row).title == text("Act");
    EXPECT_EQ(acts, 1) << "that of the shown page, not those of the others";
    EXPECT_EQ(kinds[CommandKind::Run], 1);
    EXPECT_GT(kinds[CommandKind::Block], 20);
    EXPECT_GT(kinds[CommandKind::Help], 5);
    QTest::keyClicks(box, text("#eau"));
    QTest::keyClick(box, Qt::Key_Return);
    EXPECT_EQ(studio_->currentRun().id, "0123456789ab");
    EXPECT_EQ(window_->shownPage(), pages_[1]);
    keys(Qt::Key_K, Qt::ControlModifier);
    QTest::keyClicks(box, text(">settings"));
    EXPECT_EQ(palette->list().command(0).title, text("Settings…"));
    QTest::keyClick(box, Qt::Key_Escape);
}

TEST_F(Window, EveryPageHasAHelpSectionAndF1OpensIt) {
    for (const PlainPage* page : pages_)
        EXPECT_TRUE(HelpWindow::sections().contains(page->title())) << page->title().toStdString();
    keys(Qt::Key_F1);
    auto* help = window_->findChild<HelpWindow*>();
    ASSERT_NE(help, nullptr);
    EXPECT_TRUE(help->isVisible());
}

TEST_F(Window, TheKeysOfARunSpecStandInTheHelpGroupByGroup) {
    HelpWindow help(window_.get());
    auto* shown = help.findChild<QTextBrowser*>();
    help.showSpec();
    EXPECT_TRUE(shown->toPlainText().contains(text("train.schedule.kind")));
    EXPECT_FALSE(shown->toPlainText().contains(text("data.tokenizer.kind"))) << "of another group";
    Q_EMIT shown->anchorClicked(QUrl(text("spec:data")));
    EXPECT_TRUE(shown->toPlainText().contains(text("data.tokenizer.kind")));
    EXPECT_FALSE(shown->toPlainText().contains(text("train.schedule.kind")));
}

TEST_F(Window, TheShortcutListKeepsItsPromisesAndNamesThePage) {
    const auto rows = ShortcutList::rowsOf(*window_);
    const auto has = [&](const char* what, const char* keysOfIt, const char* where) {
        return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
            return row.what == text(what) && row.keys.split(text(", ")).contains(text(keysOfIt)) && row.where == text(where);
        });
    };
    EXPECT_TRUE(has("Act", "Ctrl+E", "Compose"));
    EXPECT_TRUE(has("Full screen", "F11", "Everywhere"));
    EXPECT_TRUE(has("Keyboard shortcuts", "Ctrl+/", "Everywhere"));
}

TEST_F(Window, TheStatusBarSaysWhatTrainsAndAClickWatchesIt) {
    openDatabase("running", 400);
    auto *run = &named<StatusItem>(*window_, "trainingStatus"), *database = &named<StatusItem>(*window_, "databaseStatus");
    // Facts come from the reader a moment later.
    ASSERT_TRUE(waitUntil([&] { return run->accessibleName().contains(text("50.0 steps/s")); }))
        << run->accessibleName().toStdString();
    EXPECT_EQ(run->accessibleName(), text("eau-full s4 epoch 3 of 12 step 400 of 1,000 50.0 steps/s about 12 s left"));
    QTest::mouseClick(run, Qt::LeftButton);
    EXPECT_EQ(studio_->currentRun().id, "0123456789ab");
    EXPECT_EQ(window_->shownPage(), pages_[1]);
    EXPECT_TRUE(database->accessibleName().startsWith(text("t.heddle"))) << database->accessibleName().toStdString();
    EXPECT_TRUE(database->accessibleName().contains(text("KiB")));
    QTest::mouseClick(database, Qt::LeftButton);
    EXPECT_EQ(window_->shownPage(), pages_[3]);
    EXPECT_FALSE(window_->findChild<Chip*>()->isVisible()) << "this is not the sample corpus";
}

TEST_F(Window, ARecorderThatCannotWriteSaysSo) {
    openDatabase("running", 4);
    const auto& recorder = named<StatusItem>(*window_, "recorderStatus");
    window_->statusLine().setRecorder(text("Recorder: all rows stored"), {});
    EXPECT_TRUE(recorder.isVisible());
    EXPECT_EQ(recorder.accessibleName(), text("Recorder: all rows stored"));
    window_->statusLine().setRecorder(text("Recorder: all rows stored"), text("disk full"));
    EXPECT_EQ(recorder.accessibleName(), text("Recorder: disk full"));
}

TEST_F(Window, TheSessionComesBack) {
    const std::string run = openDatabase("stopped", 10);
    window_->showPage(PageId::Compare);
    studio_->setCurrentRun(refOf(run));
    auto* dock = pages_[2]->findChild<QDockWidget*>();
    dock->hide();
    window_->resize(1200, 760);
    window_->closeNow();
    rebuild();
    window_->restoreSession();
    EXPECT_EQ(window_->shownPage(), pages_[2]);
    EXPECT_EQ(window_->size(), QSize(1200, 760));
    EXPECT_FALSE(pages_[2]->findChild<QDockWidget*>()->isVisible());
    studio_->open(QString::fromStdString(folder_ / "t.heddle"));
    EXPECT_TRUE(waitUntil([&] { return studio_->currentRun().id == run; }));
    pages_[2]->resetLayout();
    EXPECT_TRUE(pages_[2]->findChild<QDockWidget*>()->isVisible());
}

TEST_F(Window, ClosingAsksWhoeverIsResponsible) {
    QSignalSpy asked(window_.get(), &MainWindow::closeRequested);
    window_->close();
    EXPECT_EQ(asked.size(), 1);
    EXPECT_TRUE(window_->isVisible());
    window_->closeNow();
    EXPECT_FALSE(window_->isVisible());
}

TEST_F(Window, SettingsAreStoredAndAppliedAtOnce) {
    addRecentDatabase(settings_, text("/tmp/a.heddle"));
    keys(Qt::Key_Comma, Qt::ControlModifier);
    auto* dialog = window_->findChild<SettingsDialog*>();
    ASSERT_NE(dialog, nullptr);
    const auto boxes = dialog->findChildren<QComboBox*>();
    ASSERT_EQ(boxes.size(), 4);
    for (const QComboBox* box : boxes) EXPECT_FALSE(box->accessibleName().isEmpty());
    auto& appearance = named<QComboBox>(*dialog, "appearance");
    appearance.setCurrentIndex(2);
    EXPECT_TRUE(Theme::isDark());
    EXPECT_EQ(storedAppearance(settings_), Appearance::Dark);
    appearance.setCurrentIndex(1);
    EXPECT_FALSE(Theme::isDark());
    QSignalSpy host(window_.get(), &MainWindow::hostChanged);
    named<QComboBox>(*dialog, "engineHost").setCurrentIndex(1);
    EXPECT_EQ(storedHost(settings_), EngineHost::Child);
    EXPECT_EQ(host.size(), 1);
    QTest::mouseClick(&named<QPushButton>(*dialog, "clearRecent"), Qt::LeftButton);
    EXPECT_TRUE(recentDatabases(settings_).isEmpty());
    dialog->close();
}

TEST(Words, DurationsAndSizes) {
    EXPECT_EQ(duration(12.4), text("12 s"));
    EXPECT_EQ(duration(248), text("4 min 8 s"));
    EXPECT_EQ(duration(6360), text("1 h 46 min"));
    EXPECT_EQ(stepDuration(0.01561), text("15.6 ms"));
    EXPECT_EQ(stepDuration(2.306), text("2.31 s"));
    EXPECT_EQ(byteSize(1500), text("1.46 KiB"));
    EXPECT_EQ(byteSize(qint64(214) << 20), text("214 MiB"));
    EXPECT_EQ(byteSize(qint64(3) << 30), text("3.00 GiB"));
}
