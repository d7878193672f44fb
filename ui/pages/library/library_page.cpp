// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/library_page.h"

#include "ui/pages/library/library_actions.h"
#include "ui/pages/library/library_details.h"
#include "ui/pages/library/library_runs.h"
#include "ui/pages/library/run_import.h"
#include "ui/theme/type.h"

#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QTreeView>

#include <utility>

namespace heddle::ui {
namespace {

const QString kGroup = QStringLiteral("library");  ///< of settings

}  // namespace

LibraryPage::LibraryPage(Studio& studio)
    : Page(studio, PageId::Library, QStringLiteral("library")),
      runs_(new LibraryRuns(studio, this)),
      databases_(new DatabaseList(studio, this)),
      details_(new LibraryDetails(studio, this)),
      actions_(new LibraryActions(studio, *runs_, *this)),
      import_(new RunImport(studio, *runs_, *this)),
      report_(
          this, [this] { details_->refresh(); }, Delay::kWholeFile) {
    setCentralWidget(runs_);
    makeExport(actions_->exportRuns());
    buildDocks();
    connectPanels();
    connectStudio();
    setEmptyText();
    actions_->refresh();
    rememberLayout();
}

void LibraryPage::buildDocks() {
    QDockWidget* list = makeDock(QStringLiteral("databases"), tr("Databases"), databases_);
    QDockWidget* details = makeDock(QStringLiteral("details"), details_->windowTitle(), details_);
    connect(details_, &QWidget::windowTitleChanged, details, &QWidget::setWindowTitle);
    addDockWidget(Qt::LeftDockWidgetArea, list);
    addDockWidget(Qt::RightDockWidgetArea, details);
    resizeDocks({list, details}, {px(200), px(272)}, Qt::Horizontal);
}

QList<QAction*> LibraryPage::editActions() const { return actions_->edits(); }
QList<QAction*> LibraryPage::runActions() const { return actions_->onRuns(); }
QList<QAction*> LibraryPage::fileActions() const {
    return databases_->onChosen() + import_->actions() + QList<QAction*>{&details_->verifyAction()};
}

void LibraryPage::connectPanels() {
    connect(runs_, &LibraryRuns::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(runs_, &LibraryRuns::selectionChanged, this, &LibraryPage::takeSelection);
    connect(runs_, &LibraryRuns::activated, &actions_->watch(), &QAction::trigger);
    connect(&runs_->model(), &RunTableModel::renamed, actions_, &LibraryActions::rename);
    connect(&runs_->model(), &RunTableModel::tagged, actions_, &LibraryActions::tag);
    connect(&actions_->note(), &QAction::triggered, this, [this] { details_->noteField().setFocus(Qt::ShortcutFocusReason); });
    connect(details_, &LibraryDetails::reported, this, [this](const ReportedFacts& facts) { runs_->setSizes(facts.sizes); });
}

void LibraryPage::connectStudio() {
    Databases& databases = studio().databases();
    for (const auto news : {&Databases::runsChanged, &Databases::progressed})
        connect(&databases, news, this, [this] {
            if (shown_) databases_->refresh();
        });
    connect(&databases, &Databases::currentChanged, this, [this] {
        actions_->clearUndo();
        runs_->setSizes({});
        if (shown_) refresh();
    });
    connect(&databases, &Databases::changed, this, [this] {
        if (shown_) report_.request();
    });
    connect(&databases, &Databases::failed, this, &LibraryPage::setEmptyText);
}

void LibraryPage::setShown(bool shown) {
    shown_ = shown;
    runs_->reader().setActive(shown);
    if (shown) return refresh();
    report_.cancel();
}

void LibraryPage::refresh() {
    setEmptyText();
    databases_->refresh();
    takeSelection();
    details_->refresh();
}

void LibraryPage::setEmptyText() {
    if (studio().databases().currentFile().isEmpty())
        runs_->setWordsWithoutRuns(tr("No database is open"),
                                   tr("Open or create one at the left. A database is a single file."));
    else
        runs_->setWordsWithoutRuns(tr("No runs in this database yet"),
                                   tr("A run appears here as soon as it is queued, from Compose or from heddle train."));
}

void LibraryPage::takeSelection() {
    // The first time that there are rows, they get the focus.
    if (shown_ && runs_->model().rowCount() > 0 && !std::exchange(entered_, true)) runs_->view().setFocus(Qt::OtherFocusReason);
    actions_->refresh();
    details_->setRun(runs_->current().empty() ? RunRef() : RunRef(studio().databases().currentNumber(), runs_->current()));
}

void LibraryPage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    settings.beginGroup(kGroup);
    runs_->saveSession(settings);
    settings.endGroup();
}

void LibraryPage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    settings.beginGroup(kGroup);
    runs_->restoreSession(settings);
    settings.endGroup();
}

}  // namespace heddle::ui
