// SPDX-License-Identifier: GPL-3.0-or-later
// Menus and dialogs of the main window. Every command of the program is in a menu.
#include "engine/spec/catalogue.h"
#include "ui/data/run_actions.h"
#include "ui/pages/database_dialog.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/search_box.h"
#include "ui/widgets/small_parts.h"
#include "ui/window/command_palette.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"
#include "ui/window/shortcut_list.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>
#include <QSet>

#include <utility>

namespace heddle::ui {

/// Makes an action with our keys and the platform's, and adds it to the menu, if there is one.
QAction* MainWindow::make(QMenu* menu, const char* name, const QString& text, const QKeySequence& keys,
                          const std::function<void()>& run, QKeySequence::StandardKey standard) {
    QAction* action = makeAction(this, {name, text}, run);
    QList<QKeySequence> all = QKeySequence::keyBindings(standard);
    all.removeAll(keys);
    if (!keys.isEmpty()) all.prepend(keys);
    action->setShortcuts(all);
    if (menu) menu->addAction(action);
    return action;
}

void MainWindow::buildFileMenu() {
    file_ = menuBar()->addMenu(tr("&File"));
    file_->setObjectName(QStringLiteral("fileMenu"));
    make(file_, "newDatabase", tr("&New database…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N),
         [this] { openDatabaseDialog(studio_, DatabaseDialog::Create, this); });
    make(
        file_, "openDatabase", tr("&Open database…"), QKeySequence(Qt::CTRL | Qt::Key_O),
        [this] { openDatabaseDialog(studio_, DatabaseDialog::Existing, this); }, QKeySequence::Open)
        ->setIcon(themeIcon(Icon::Folder));
    make(file_, "openDatabaseBeside", tr("Open &additional database…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), [this] {
        openDatabaseDialog(studio_, DatabaseDialog::Beside, this);
    })->setToolTip(tr("Shows the runs of all open databases; new runs are recorded in the current one"));
    // Training in the closed database continues, as it does when another database is opened instead.
    QAction* closeDatabase = make(file_, "closeCurrentDatabase", tr("&Close database"), {},
                                  [this] { studio_.databases().close(studio_.databases().currentNumber()); });
    connect(file_, &QMenu::aboutToShow, this,
            [this, closeDatabase] { closeDatabase->setEnabled(studio_.databases().current()); });
    recent_ = file_->addMenu(tr("Open &recent"));
    recent_->setObjectName(QStringLiteral("recentMenu"));
    connect(recent_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    file_->addSeparator();
    endOfFileActions_ = file_->addSeparator();
    make(
        file_, "quit", tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { close(); }, QKeySequence::Quit)
        ->setMenuRole(QAction::QuitRole);
}

void MainWindow::buildAppearance(QMenu& menu) {
    auto* group = new QActionGroup(this);
    constexpr const char* kNames[]{"systemTheme", "lightTheme", "darkTheme"};
    const QStringList words{tr("&Follow system"), tr("&Light"), tr("&Dark")};
    for (int i = 0; i < words.size(); ++i) {
        QAction* action = make(&menu, kNames[i], words[i], {}, [this, i] {
            storeAppearance(studio_.settings(), Appearance(i));
            Theme::instance().setAppearance(Appearance(i));
        });
        action->setCheckable(true);
        group->addAction(action);
    }
    const auto check = [group] { group->actions().at(int(Theme::instance().appearance()))->setChecked(true); };
    connect(&Theme::instance(), &Theme::changed, group, check);
    check();
}

void MainWindow::buildViewMenu() {
    QMenu* view = menuBar()->addMenu(tr("&View"));
    view->setObjectName(QStringLiteral("viewMenu"));
    view->addActions(entries_);
    view->addSeparator();
    pageMenu_ = view->addMenu(QString());
    panels_ = view->addMenu(tr("Pane&ls"));
    view->addSeparator();
    buildAppearance(*view->addMenu(tr("&Appearance")));
    make(view, "resetLayout", tr("&Reset layout"), {}, [this] {
        if (Page* page = shownPage()) page->resetLayout();
    })->setIcon(themeIcon(Icon::Refresh));
    make(
        view, "fullScreen", tr("F&ull screen"), QKeySequence(Qt::Key_F11),
        [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); }, QKeySequence::FullScreen);
    view->addSeparator();
    QMenu* go = view->addMenu(tr("&Go to"));
    make(
        go, "nextPage", tr("&Next page"), QKeySequence(Qt::CTRL | Qt::Key_Tab), [this] { stepPage(1); },
        QKeySequence::NextChild);
    make(
        go, "previousPage", tr("&Previous page"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), [this] { stepPage(-1); },
        QKeySequence::PreviousChild);
    make(go, "nextPanel", tr("Next &panel"), QKeySequence(Qt::Key_F6), [this] { stepDock(1); });
    make(go, "previousPanel", tr("Previous pa&nel"), QKeySequence(Qt::SHIFT | Qt::Key_F6), [this] { stepDock(-1); });
}

void MainWindow::buildMenus() {
    buildFileMenu();
    edit_ = menuBar()->addMenu(tr("&Edit"));
    edit_->setObjectName(QStringLiteral("editMenu"));
    buildViewMenu();
    run_ = menuBar()->addMenu(tr("&Run"));
    run_->setObjectName(QStringLiteral("runMenu"));
    QMenu* tools = menuBar()->addMenu(tr("&Tools"));
    QAction* settings = make(
        tools, "settings", tr("&Settings…"), QKeySequence(Qt::CTRL | Qt::Key_Comma), [this] { openSettings(); },
        QKeySequence::Preferences);
    settings->setIcon(themeIcon(Icon::Gear));
    settings->setMenuRole(QAction::PreferencesRole);
    tools->addSeparator();
    make(tools, "clearRecentDatabases", tr("Clear &recent databases"), {},
         [this] { clearRecentDatabases(studio_.settings()); });
    QMenu* helpMenu = menuBar()->addMenu(tr("&Help"));
    make(
        helpMenu, "help", tr("&Help on this page"), QKeySequence(Qt::Key_F1), [this] { openHelp(); },
        QKeySequence::HelpContents)
        ->setIcon(themeIcon(Icon::Help));
    make(helpMenu, "keyboardShortcuts", tr("&Keyboard shortcuts"), QKeySequence(Qt::CTRL | Qt::Key_Slash),
         [this] { openShortcuts(); });
    make(helpMenu, "specKeys", tr("&Keys of a run spec"), {}, [this] { help().showSpec(); });
    helpMenu->addSeparator();
    make(helpMenu, "about", tr("&About Heddle"), {}, [this] { openAbout(); })->setMenuRole(QAction::AboutRole);
    find_ = make(nullptr, "find", tr("&Find a command, run or block"), QKeySequence(Qt::CTRL | Qt::Key_K),
                 [this] { openPalette(); });
    auto* corner = new QWidget(menuBar());
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, px(3), px(8), px(3));
    row->addWidget(new SearchBox(find_, corner));
    menuBar()->setCornerWidget(corner);
}

/// Puts the actions of the shown page into the menus.
void MainWindow::fillPageMenus() {
    Page* page = shownPage();
    edit_->clear();
    edit_->addActions(page->editActions());
    edit_->addSeparator();
    edit_->addAction(find_);
    const auto refill = [](QMenu* menu, const QList<QAction*>& actions) {
        menu->clear();
        menu->addActions(actions);
        menu->menuAction()->setVisible(!actions.isEmpty());
    };
    pageMenu_->setTitle(tr("On %1").arg(page->title()));
    refill(pageMenu_, page->viewActions());
    refill(panels_, page->panelActions());
    for (QAction* action : std::exchange(fileActions_, page->fileActions())) file_->removeAction(action);
    file_->insertActions(endOfFileActions_, fileActions_);
    run_->clear();
    run_->addActions(page->runActions());
}

void MainWindow::fillRecent() {
    recent_->clear();
    for (const QString& file : recentDatabases(studio_.settings())) {
        QAction* action = recent_->addAction(QFileInfo(file).fileName());
        action->setToolTip(file);
        action->setStatusTip(file);
        connect(action, &QAction::triggered, this, [this, file] { studio_.open(file); });
    }
    if (recent_->isEmpty()) recent_->addAction(tr("None yet"))->setEnabled(false);
}

void MainWindow::openSettings() {
    auto* dialog = new SettingsDialog(studio_.settings(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SettingsDialog::hostChanged, this, &MainWindow::hostChanged);
    dialog->open();
}

/// Pause, resume, checkpoint and stop of every run in training, on every page. Those that the page has itself are left out.
QList<Command> MainWindow::verbsInTraining() {
    delete verbs_;
    verbs_ = new QObject(this);
    QSet<QString> titlesOfPage;
    for (const Command& command : commandsOf(*this)) titlesOfPage.insert(command.title);
    QList<Command> verbs;
    for (const Run* run : studio_.databases().runs()) {
        const auto state = runStateFromName(run->state);
        if (!state || (*state != RunState::Preparing && !isAllowed(*state, RunVerb::Checkpoint))) continue;
        auto* actions = new RunActions(studio_, verbs_);
        actions->setRuns({run->ref});
        for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume, RunVerb::Checkpoint, RunVerb::Stop}) {
            QAction& action = actions->action(verb);
            const QString title = plainText(action);
            if (!action.isEnabled() || titlesOfPage.contains(title)) continue;
            verbs.append({title,
                          lookOf(markOf(*run)).word,
                          {},
                          action.icon(),
                          CommandKind::Action,
                          [target = QPointer<QAction>(&action)] {
                              if (target) target->trigger();
                          }});
        }
    }
    return verbs;
}

void MainWindow::openPalette() {
    QList<Command> more = verbsInTraining();
    for (const Run* run : studio_.databases().runs()) {
        const MarkLook mark = lookOf(markOf(*run));
        more.append({runLabel(*run), mark.word, {}, themeIcon(mark.icon, mark.color), CommandKind::Run, [this, ref = run->ref] {
                         studio_.setCurrentRun(ref);
                         studio_.go(PageId::Watch);
                     }});
    }
    for (const BlockDescriptor& block : builtinCatalogue().blocks())
        more.append({QString::fromStdString(block.title),
                     QString::fromStdString(block.slot + ": " + block.id),
                     {},
                     themeIcon(Icon::Compose),
                     CommandKind::Block,
                     [this, block] { help().showBlock(block); }});
    for (const QString& section : HelpWindow::sections())
        more.append({section, tr("help"), {}, themeIcon(Icon::Help), CommandKind::Help, [this, section] {
                         help().showSection(section);
                     }});
    palette_->offer(more);
}

HelpWindow& MainWindow::help() {
    if (!help_) help_ = new HelpWindow(this);
    return *help_;
}

void MainWindow::openHelp() {
    QString about;
    for (const QWidget* widget = QApplication::focusWidget(); widget && about.isEmpty(); widget = widget->parentWidget()) {
        about = widget->whatsThis().isEmpty() ? widget->toolTip() : widget->whatsThis();
        if (qobject_cast<const Page*>(widget)) break;
    }
    help().showSection(shownPage() ? shownPage()->title() : QString(), about);
}

void MainWindow::openShortcuts() {
    auto* list = new ShortcutList(this);
    list->setAttribute(Qt::WA_DeleteOnClose);
    list->open();
}

void MainWindow::openAbout() {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Heddle"),
        tr("<b>Heddle %1</b><br>Controlled experiments on transformer variants.<br><br>The studio is free software under the "
           "GNU "
           "General Public License, version 3 or later; engine, storage and command line under the Apache License 2.0. Plots: "
           "QCustomPlot. Window: Qt %2.")
            .arg(QStringLiteral(HEDDLE_VERSION), QString::fromLatin1(qVersion())),
        QMessageBox::Close, this);
    box->setTextFormat(Qt::RichText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace heddle::ui
