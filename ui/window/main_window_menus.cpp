// SPDX-License-Identifier: GPL-3.0-or-later
// The window's other half: menus and dialogs. Everything the program can do is in a menu, and this is where menus are made.
#include "engine/spec/catalogue.h"
#include "ui/data/run_actions.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/search_box.h"
#include "ui/window/command_palette.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"
#include "ui/window/shortcut_list.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>
#include <QSet>

#include <utility>

namespace heddle::ui {

/// An action with our keys and those that the platform has for it; in the menu, if there is one.
QAction* MainWindow::make(QMenu* menu, const QString& words, const QKeySequence& keys, std::function<void()> run,
                          QKeySequence::StandardKey standard) {
    auto* action = new QAction(words, this);
    QList<QKeySequence> all = QKeySequence::keyBindings(standard);
    all.removeAll(keys);
    if (!keys.isEmpty()) all.prepend(keys);
    action->setShortcuts(all);
    connect(action, &QAction::triggered, this, std::move(run));
    if (menu) menu->addAction(action);
    return action;
}

void MainWindow::buildFileMenu() {
    file_ = menuBar()->addMenu(tr("&File"));
    file_->setObjectName(QStringLiteral("fileMenu"));
    make(file_, tr("&New database…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N), [this] { createFile(); });
    make(
        file_, tr("&Open database…"), QKeySequence(Qt::CTRL | Qt::Key_O),
        [this] { askForFile(tr("Open database"), &MainWindow::openRequested); }, QKeySequence::Open)
        ->setIcon(themeIcon(Icon::Folder));
    make(file_, tr("Open database &beside…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), [this] {
        askForFile(tr("Open database beside"), &MainWindow::openBesideRequested);
    })->setToolTip(tr("Runs of both are shown and compared; new runs go to the current one"));
    // Closes the current database; its training goes on, as it does when another database is opened instead.
    QAction* closeDatabase =
        make(file_, tr("&Close database"), {}, [this] { studio_.databases().close(studio_.databases().currentNumber()); });
    connect(file_, &QMenu::aboutToShow, this,
            [this, closeDatabase] { closeDatabase->setEnabled(studio_.databases().current()); });
    recent_ = file_->addMenu(tr("Open &recent"));
    connect(recent_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    file_->addSeparator();
    endOfFileActions_ = file_->addSeparator();
    make(
        file_, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { close(); }, QKeySequence::Quit)
        ->setMenuRole(QAction::QuitRole);
}

void MainWindow::buildAppearance(QMenu& menu) {
    auto* group = new QActionGroup(this);
    const QStringList words{tr("As the &system"), tr("&Light"), tr("&Dark")};
    for (int i = 0; i < words.size(); ++i) {
        QAction* action = make(&menu, words[i], {}, [this, i] {
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
    ofPage_ = view->addMenu(QString());
    panels_ = view->addMenu(tr("Pane&ls"));
    view->addSeparator();
    buildAppearance(*view->addMenu(tr("&Appearance")));
    make(view, tr("&Reset layout"), {}, [this] {
        if (Page* page = shownPage()) page->resetLayout();
    })->setIcon(themeIcon(Icon::Refresh));
    make(
        view, tr("F&ull screen"), QKeySequence(Qt::Key_F11), [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); },
        QKeySequence::FullScreen);
    view->addSeparator();
    QMenu* go = view->addMenu(tr("&Go to"));
    make(
        go, tr("&Next page"), QKeySequence(Qt::CTRL | Qt::Key_Tab), [this] { stepPage(1); }, QKeySequence::NextChild);
    make(
        go, tr("&Previous page"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), [this] { stepPage(-1); },
        QKeySequence::PreviousChild);
    make(go, tr("Next &panel"), QKeySequence(Qt::Key_F6), [this] { stepDock(1); });
    make(go, tr("Previous pa&nel"), QKeySequence(Qt::SHIFT | Qt::Key_F6), [this] { stepDock(-1); });
}

void MainWindow::buildMenus() {
    buildFileMenu();
    edit_ = menuBar()->addMenu(tr("&Edit"));
    buildViewMenu();
    run_ = menuBar()->addMenu(tr("&Run"));
    QMenu* tools = menuBar()->addMenu(tr("&Tools"));
    QAction* settings = make(
        tools, tr("&Settings…"), QKeySequence(Qt::CTRL | Qt::Key_Comma), [this] { openSettings(); }, QKeySequence::Preferences);
    settings->setIcon(themeIcon(Icon::Gear));
    settings->setMenuRole(QAction::PreferencesRole);
    tools->addSeparator();
    make(tools, tr("Clear &recent databases"), {}, [this] { clearRecentDatabases(studio_.settings()); });
    QMenu* helpMenu = menuBar()->addMenu(tr("&Help"));
    make(
        helpMenu, tr("&Help on this"), QKeySequence(Qt::Key_F1), [this] { openHelp(); }, QKeySequence::HelpContents)
        ->setIcon(themeIcon(Icon::Help));
    make(helpMenu, tr("&Keyboard shortcuts"), QKeySequence(Qt::CTRL | Qt::Key_Slash), [this] { openShortcuts(); });
    make(helpMenu, tr("&Keys of a run spec"), {}, [this] { help().showSpec(); });
    helpMenu->addSeparator();
    make(helpMenu, tr("&About Heddle"), {}, [this] { openAbout(); })->setMenuRole(QAction::AboutRole);
    find_ = make(nullptr, tr("&Find a command, run or block"), QKeySequence(Qt::CTRL | Qt::Key_K), [this] { openPalette(); });
    auto* corner = new QWidget(menuBar());
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, px(3), px(8), px(3));
    row->addWidget(new SearchBox(find_, corner));
    menuBar()->setCornerWidget(corner);
}

/// Puts what the page that is shown offers into the menus.
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
    ofPage_->setTitle(tr("On %1").arg(page->title()));
    refill(ofPage_, page->viewActions());
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
        connect(action, &QAction::triggered, this, [this, file] { Q_EMIT openRequested(file); });
    }
    if (recent_->isEmpty()) recent_->addAction(tr("None yet"))->setEnabled(false);
}

QFileDialog& MainWindow::makeFileDialog(const QString& title, void (MainWindow::*chosen)(const QString&)) {
    const QString folder = QFileInfo(studio_.databases().currentFile()).path();
    auto* dialog = new QFileDialog(this, title, folder, tr("Run databases (*.heddle)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, chosen);
    return *dialog;
}

void MainWindow::askForFile(const QString& title, void (MainWindow::*chosen)(const QString&)) {
    QFileDialog& dialog = makeFileDialog(title, chosen);
    dialog.setFileMode(QFileDialog::ExistingFile);
    dialog.open();
}

void MainWindow::createFile() {
    QFileDialog& dialog = makeFileDialog(tr("New database"), &MainWindow::createRequested);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("heddle"));
    // A database is never written over: choosing one that is there opens it.
    dialog.setOption(QFileDialog::DontConfirmOverwrite);
    dialog.open();
}

void MainWindow::openSettings() {
    auto* dialog = new SettingsDialog(studio_.settings(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SettingsDialog::hostChanged, this, &MainWindow::hostChanged);
    dialog->open();
}

/// Pause, resume, checkpoint and stop of every run in training, whatever page is shown; a page has those of its run itself.
QList<Command> MainWindow::verbsInTraining() {
    delete verbs_;
    verbs_ = new QObject(this);
    QSet<QString> ofPage;
    for (const Command& command : commandsOf(*this)) ofPage.insert(command.title);
    QList<Command> verbs;
    for (const Run* run : studio_.databases().runs()) {
        const auto state = runStateFromName(run->state);
        if (!state || (*state != RunState::Preparing && !isAllowed(*state, RunVerb::Checkpoint))) continue;
        auto* actions = new RunActions(studio_, verbs_);
        actions->setRuns({run->ref});
        for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume, RunVerb::Checkpoint, RunVerb::Stop}) {
            QAction& action = actions->action(verb);
            const QString title = plainText(action);
            if (!action.isEnabled() || ofPage.contains(title)) continue;
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
        tr("<b>Heddle %1</b><br>Honest experiments on transformer variants.<br><br>The studio is free software under the GNU "
           "General Public License, version 3 or later; engine, storage and command line under the Apache License 2.0. Plots: "
           "QCustomPlot. Window: Qt %2.")
            .arg(QStringLiteral(HEDDLE_VERSION), QString::fromLatin1(qVersion())),
        QMessageBox::Close, this);
    box->setTextFormat(Qt::RichText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace heddle::ui
