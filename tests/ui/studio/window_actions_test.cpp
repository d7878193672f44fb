// SPDX-License-Identifier: GPL-3.0-or-later
// What the menus, the palette, the status bar and the settings of the window do, one by one.
#include "engine/spec/catalogue.h"
#include "tests/ui/studio/window_fixture.h"
#include "ui/widgets/search_box.h"
#include "ui/widgets/settings_dialog.h"
#include "ui/window/command_palette.h"
#include "ui/window/help_window.h"
#include "ui/window/rail.h"
#include "ui/window/shortcut_list.h"
#include "ui/window/status_item.h"

#include <QtTest/qtestmouse.h>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTreeView>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

class WindowActions : public Window {
protected:
    QAction& action(const char* objectName) { return named<QAction>(*window_, objectName); }
    QString path(const char* name) { return QString::fromStdString(folder_ / name); }
    static void make(const std::string& file) { const auto store = storage::RunStore::open(file, {"test", 0}); }
    /// Triggers an action that asks for a file, and answers with `file`.
    void answer(const char* objectName, QFileDialog::AcceptMode mode, const QString& file) {
        action(objectName).trigger();
        auto& dialog = the<QFileDialog>(*window_);
        EXPECT_EQ(dialog.acceptMode(), mode);
        Q_EMIT dialog.fileSelected(file);
        dialog.reject();
        EXPECT_TRUE(waitUntil([&] { return window_->findChild<QFileDialog*>() == nullptr; }));
    }
    QStringList openFiles() {
        QStringList files;
        for (const RunDatabase* database : studio_->databases().all())
            if (database->isOpen()) files << database->file();
        return files;
    }
    CommandPalette& palette() { return the<CommandPalette>(*window_); }
    QLineEdit& typing() { return the<QLineEdit>(palette()); }
};

}  // namespace

TEST_F(WindowActions, TheFileMenuAsksForADatabaseAndClosesTheCurrentOne) {
    studio_->services().createDatabase = make;
    const QString made = path("made.heddle"), beside = path("beside.heddle");
    make(beside.toStdString());
    answer("newDatabase", QFileDialog::AcceptSave, made);
    ASSERT_TRUE(waitUntil([&] { return openFiles() == QStringList{made}; }));
    answer("openDatabaseBeside", QFileDialog::AcceptOpen, beside);
    ASSERT_TRUE(waitUntil([&] { return openFiles() == (QStringList{made, beside}); }));
    EXPECT_EQ(studio_->databases().currentFile(), made) << "new runs are still recorded there";
    const auto close = [&] {
        Q_EMIT named<QMenu>(*window_, "fileMenu").aboutToShow();
        ASSERT_TRUE(action("closeCurrentDatabase").isEnabled());
        action("closeCurrentDatabase").trigger();
    };
    close();
    EXPECT_EQ(openFiles(), QStringList{beside});
    answer("openDatabase", QFileDialog::AcceptOpen, made);
    ASSERT_TRUE(waitUntil([&] { return openFiles() == QStringList{made}; })) << "in place of the other one";
    close();
    Q_EMIT named<QMenu>(*window_, "fileMenu").aboutToShow();
    EXPECT_FALSE(action("closeCurrentDatabase").isEnabled());
}

TEST_F(WindowActions, RecentDatabasesAreOpenedFromTheMenuAndForgotten) {
    const QString file = path("recent.heddle");
    make(file.toStdString());
    addRecentDatabase(settings_, file);
    auto& menu = named<QMenu>(*window_, "recentMenu");
    Q_EMIT menu.aboutToShow();
    ASSERT_EQ(menu.actions().size(), 1);
    EXPECT_EQ(menu.actions().front()->text(), text("recent.heddle"));
    EXPECT_EQ(menu.actions().front()->toolTip(), file);
    menu.actions().front()->trigger();
    EXPECT_TRUE(waitUntil([&] { return openFiles() == QStringList{file}; }));
    action("clearRecentDatabases").trigger();
    Q_EMIT menu.aboutToShow();
    ASSERT_EQ(menu.actions().size(), 1);
    EXPECT_FALSE(menu.actions().front()->isEnabled()) << "it says that there are none";
}

TEST_F(WindowActions, TheAppearanceOfTheMenuIsAppliedAndStored) {
    action("darkTheme").trigger();
    EXPECT_TRUE(Theme::isDark());
    EXPECT_EQ(storedAppearance(settings_), Appearance::Dark);
    EXPECT_TRUE(action("darkTheme").isChecked());
    Theme::instance().setAppearance(Appearance::Light);  // as the settings dialog does
    EXPECT_TRUE(action("lightTheme").isChecked()) << "the menu follows";
    action("systemTheme").trigger();
    EXPECT_EQ(storedAppearance(settings_), Appearance::System);
    action("lightTheme").trigger();
    EXPECT_FALSE(Theme::isDark());
}

TEST_F(WindowActions, F11IsFullScreenAndBackAndTheLayoutIsResetFromTheMenu) {
    keys(Qt::Key_F11);
    EXPECT_TRUE(window_->isFullScreen());
    keys(Qt::Key_F11);
    EXPECT_FALSE(window_->isFullScreen());
    auto& side = named<QDockWidget>(*pages_[0], "side");
    side.hide();
    action("resetLayout").trigger();
    EXPECT_TRUE(side.isVisible());
}

TEST_F(WindowActions, QuitAsksAndAboutNamesTheLicences) {
    QSignalSpy asked(window_.get(), &MainWindow::closeRequested);
    action("quit").trigger();
    EXPECT_EQ(asked.size(), 1);
    action("about").trigger();
    auto& box = the<QMessageBox>(*window_);
    EXPECT_TRUE(box.isVisible());
    EXPECT_TRUE(box.text().contains(text("GNU General Public License")) && box.text().contains(text("Apache License")))
        << box.text().toStdString();
    box.reject();
}

TEST_F(WindowActions, MotionAndNotificationsAreStored) {
    action("settings").trigger();
    auto& dialog = the<SettingsDialog>(*window_);
    named<QComboBox>(dialog, "motion").setCurrentIndex(1);
    EXPECT_EQ(Theme::motion(), Motion::Reduced);
    EXPECT_EQ(storedMotion(settings_), Motion::Reduced);
    named<QComboBox>(dialog, "motion").setCurrentIndex(0);
    EXPECT_EQ(storedMotion(settings_), Motion::Full);
    EXPECT_TRUE(storedNotifications(settings_));
    named<QComboBox>(dialog, "notifications").setCurrentIndex(1);
    EXPECT_FALSE(storedNotifications(settings_));
    dialog.reject();
}

TEST_F(WindowActions, TheQueueOfTheStatusBarLeadsToWatch) {
    auto& queue = named<StatusItem>(*window_, "queueStatus");
    EXPECT_FALSE(queue.isVisible());
    openDatabase("queued", 0);
    ASSERT_TRUE(waitUntil([&] { return queue.isVisible(); }));
    EXPECT_EQ(queue.accessibleName(), text("1 queued"));
    QTest::mouseClick(&queue, Qt::LeftButton);
    EXPECT_EQ(window_->shownPage(), pages_[1]);
}

TEST_F(WindowActions, TheRailSaysWhatTheMachineHasAndUses) {
    static const QRegularExpression kWords(
        text("^Processor: (\\d+) thread.*, (\\d+) % busy\\. Memory: ([\\d.,]+) GiB of ([\\d.,]+) GiB in use\\.$"));
    const QString said = the<DeviceTile>(*window_).accessibleName();
    const auto words = kWords.match(said);
    ASSERT_TRUE(words.hasMatch()) << said.toStdString();
    EXPECT_GT(words.captured(1).toInt(), 0);
    EXPECT_LE(words.captured(2).toInt(), 100);
    const double used = words.captured(3).remove(QLatin1Char(',')).toDouble(),
                 all = words.captured(4).remove(QLatin1Char(',')).toDouble();
    EXPECT_GT(used, 0);
    EXPECT_GT(all, used);
}

TEST_F(WindowActions, TheListOfShortcutsIsFiltered) {
    action("keyboardShortcuts").trigger();
    auto& list = the<ShortcutList>(*window_);
    const QAbstractItemModel& rows = *the<QTreeView>(list).model();
    const int all = rows.rowCount();
    QTest::keyClicks(&named<QLineEdit>(list, "shortcutFilter"), text("f11"));
    ASSERT_EQ(rows.rowCount(), 1) << "of " << all;
    EXPECT_EQ(rows.index(0, 0).data().toString(), text("Full screen"));
    list.reject();
}

TEST_F(WindowActions, TheSearchBoxOpensThePaletteWhoseKeysMoveAndComplete) {
    QTest::mouseClick(&the<SearchBox>(*window_), Qt::LeftButton);
    ASSERT_TRUE(palette().isVisible());
    const auto row = [&] { return the<QListView>(palette()).currentIndex().row(); };
    EXPECT_EQ(row(), 0);
    QTest::keyClick(&typing(), Qt::Key_PageDown);
    EXPECT_EQ(row(), 8) << "as many as are visible";
    QTest::keyClick(&typing(), Qt::Key_Up);
    EXPECT_EQ(row(), 7);
    QTest::keyClick(&typing(), Qt::Key_PageUp);
    EXPECT_EQ(row(), 0);
    QTest::keyClicks(&typing(), text("settin"));
    QTest::keyClick(&typing(), Qt::Key_Tab);
    EXPECT_EQ(typing().text(), text("Settings…"));
    palette().reject();
}

TEST_F(WindowActions, ABlockAndASectionOfTheHelpOpenFromThePalette) {
    const QString title = QString::fromStdString(builtinCatalogue().blocks().front().title);
    const auto choose = [&](const QString& words) {
        keys(Qt::Key_K, Qt::ControlModifier);
        typing().setText(words);
        const QString context = palette().list().command(0).context;
        QTest::keyClick(&typing(), Qt::Key_Return);
        return context;
    };
    const QString block = choose(text("@") + title);
    ASSERT_TRUE(block.contains(text(": "))) << "slot and block: " << block.toStdString();
    auto& help = the<HelpWindow>(*window_);
    EXPECT_TRUE(help.isVisible());
    const auto& shown = named<QTextBrowser>(help, "helpText");
    EXPECT_TRUE(shown.toPlainText().contains(block)) << shown.toPlainText().toStdString();
    window_->activateWindow();
    choose(text("?Watch"));
    EXPECT_FALSE(shown.toPlainText().contains(block));
    EXPECT_EQ(shown.textCursor().block().text(), text("Watch"));
    help.close();
}

TEST_F(WindowActions, HelpBeginsWithWhatTheFocusedControlIs) {
    auto* field = qobject_cast<QLineEdit*>(pages_[0]->centralWidget());
    field->setToolTip(text("The name of the next run"));
    field->setFocus();
    keys(Qt::Key_F1);
    auto& help = the<HelpWindow>(*window_);
    EXPECT_EQ(the<QLabel>(help).text(), text("The name of the next run"));
    EXPECT_TRUE(the<QLabel>(help).isVisible());
    window_->activateWindow();
    action("specKeys").trigger();
    EXPECT_FALSE(the<QLabel>(help).isVisible()) << "the keys of a spec are about no control";
    EXPECT_TRUE(named<QTextBrowser>(help, "helpText").toPlainText().contains(text("train.")));
    help.close();
}
