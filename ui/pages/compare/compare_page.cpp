// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compare_page.h"

#include "ui/data/run_database.h"
#include "ui/data/slurm_watcher.h"
#include "ui/data/study_trainer.h"
#include "ui/pages/compare/column_chooser.h"
#include "ui/pages/compare/compare_actions.h"
#include "ui/pages/compare/compare_exports.h"
#include "ui/pages/compare/compare_layout.h"
#include "ui/pages/compare/compare_views.h"
#include "ui/pages/compare/compared_curves.h"
#include "ui/pages/compare/compared_tables.h"
#include "ui/pages/compare/pair_panel.h"
#include "ui/pages/compare/question_bar.h"
#include "ui/pages/compare/study_file.h"
#include "ui/pages/compare/ticked_runs.h"
#include "ui/pages/compare/verdict_panel.h"
#include "ui/pages/first_run.h"
#include "ui/pages/layout_box.h"
#include "ui/pages/slurm_dialog.h"
#include "ui/pages/slurm_jobs.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/segments.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QToolBar>
#include <QTreeView>

#include <utility>

namespace heddle::ui {

ComparePage::ComparePage(Studio& studio)
    : Page(studio, PageId::Compare, QStringLiteral("compare")),
      table_(new RunTableView(studio, TableUse::Compare, defaultColumns(), this)),
      ticked_(new TickedRuns(studio, *table_, this)),
      actions_(new CompareActions(studio, *table_, this)),
      differences_(new DifferencesTable(studio, this)),
      values_(new EndValuesTable(studio, this)),
      curves_(new ComparedCurves(studio, this)),
      chooser_(new ColumnChooser(this)),
      comparer_(new StudyComparer(studio, this)),
      trainer_(new StudyTrainer(studio, *comparer_, this)),
      openStudy_(makeAction(this, {"openStudy", tr("Open study…"), Icon::Folder, {}, tr("Ask the question of a study file")},
                            [this] { openStudyFile(this->studio(), *comparer_, this); })),
      slurmJobs_(makeSlurmJobsAction(studio, this)),
      verdict_(new VerdictPanel(studio, *comparer_, this)),
      views_(new CompareViews(studio, *table_, *comparer_, this)),
      question_(new QuestionBar(studio, *comparer_,
                                {*openStudy_, trainer_->action(), trainer_->onSlurm(), CompareViews::words()}, this)),
      exports_(new CompareExports(studio, {*table_, *curves_, *values_, *differences_, *comparer_}, this)) {
    table_->setWhereNoRuns(makeFirstRunCard(studio, this, tr("A run appears here as a row as soon as it is queued.")));
    table_->setMinimumHeight(px(204));  // with the card of no runs
    setCentralWidget(views_);
    buildActions();
    buildToolBar();
    buildDocks();
    connectTable();
    showCounts();
    showTicked();
    rememberLayout();
}

void ComparePage::buildToolBar() {
    auto* bar = new QToolBar(tr("Compare"), this);
    bar->setObjectName(QStringLiteral("compareBar"));
    bar->setMovable(false);
    counts_ = new QLabel(bar);
    counts_->setFont(numberFont(Type::Body));
    counts_->setForegroundRole(QPalette::PlaceholderText);
    counts_->setContentsMargins(px(8), 0, px(8), 0);
    grouping_ = new QComboBox(bar);
    grouping_->setAccessibleName(tr("Group runs"));
    grouping_->addItems({tr("Group by settings"), tr("Single runs")});
    auto* columns = new QPushButton(themeIcon(Icon::Columns), tr("Columns"), bar);
    auto* exports = new QPushButton(themeIcon(Icon::Export), tr("Export"), bar);
    exports->setMenu(exports_->menu());
    exports_->menu()->addActions((new CompareLayout(*this, studio(), *table_, *comparer_))->actions());
    makeExport(exports_->exportTable());
    for (QWidget* part : std::initializer_list<QWidget*>{&table_->filter(), counts_, grouping_}) bar->addWidget(part);
    for (QPushButton* button : {columns, exports}) {
        auto* gap = new QWidget(bar);
        gap->setFixedWidth(px(6));
        bar->addWidget(gap);
        bar->addWidget(button);
    }
    bar->addWidget(new LayoutBox(*this, studio().settings(), bar));
    addToolBar(Qt::TopToolBarArea, question_);
    addToolBarBreak();
    addToolBar(Qt::TopToolBarArea, bar);
    QAction* choose = makeAction(this, {"chooseColumns", tr("Columns…"), Icon::Columns},
                                 [this, columns] { chooser_->open(*columns, *table_->table(), table_->options().columns); });
    viewActions_.prepend(choose);
    viewActions_ << exports_->menu()->actions().mid(0, 3) << &exports_->report() << openStudy_;
    connect(columns, &QPushButton::clicked, choose, &QAction::trigger);
    connect(chooser_, &ColumnChooser::chosen, table_, &RunTableView::setColumns);
    connect(grouping_, qOverload<int>(&QComboBox::activated), this,
            [this](int index) { table_->setGrouping(index == 0 ? Grouping::Settings : Grouping::None); });
}

void ComparePage::buildDocks() {
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    const auto dock = [this](const char* name, QWidget* body) {
        QDockWidget* made = makeDock(QString::fromLatin1(name), body->windowTitle(), body);
        made->setAccessibleName(body->windowTitle());
        connect(body, &QWidget::windowTitleChanged, made, &QWidget::setWindowTitle);
        return made;
    };
    QDockWidget *differences = dock("differences", differences_), *values = dock("endValues", values_),
                *curves = dock("curves", curves_), *verdict = dock("verdict", verdict_);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    addDockWidget(Qt::RightDockWidgetArea, verdict);
    addDockWidget(Qt::BottomDockWidgetArea, values);
    splitDockWidget(values, curves, Qt::Horizontal);
    splitDockWidget(values, differences, Qt::Vertical);
    tabWhenNarrow(curves, verdict);
    resizeDocks({verdict}, {px(320)}, Qt::Horizontal);
    resizeDocks({values, curves}, {px(660), px(700)}, Qt::Horizontal);
    resizeDocks({values, differences}, {px(250), px(250)}, Qt::Vertical);
}

void ComparePage::buildActions() {
    QAction* asTable =
        makeAction(this, {"curvesAsTable", tr("Curves as a table"), Icon::Table, Qt::Key_T, {}, Qt::WidgetWithChildrenShortcut},
                   [this] { curves_->panel().toggleTable(); });
    QAction* next =
        makeAction(this, {"nextDifference", tr("Next difference"), {}, Qt::Key_N, {}, Qt::WidgetWithChildrenShortcut}, [this] {
            auto* dock = qobject_cast<QDockWidget*>(differences_->parentWidget());
            dock->show();
            dock->raise();
            differences_->selectNext();
        });
    differences_->addAction(next);
    table_->view().addActions({asTable, next});
    viewActions_ = {asTable, &curves_->ignoreOutliers(), next};
    viewActions_ << views_->pair().moves();
}

QList<QAction*> ComparePage::editActions() const { return actions_->edits(); }
QList<QAction*> ComparePage::runActions() const {
    return actions_->onRuns() << &trainer_->action() << &trainer_->onSlurm() << slurmJobs_;
}

void ComparePage::connectTable() {
    connect(ticked_, &TickedRuns::changed, this, &ComparePage::showTicked);
    connect(&table_->reader(), &RunTableReader::changed, this, &ComparePage::showTicked);
    connect(&table_->reader(), &RunTableReader::restarted, this, [this] {
        if (table_->reader().isWhole()) showTicked();  // the last database was closed
    });
    connect(table_, &RunTableView::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(table_, &RunTableView::selectionChanged, this, [this] {
        curves_->setChosen(table_->selectedRuns());
        verdict_->setSelected(table_->currentGroup());
    });
    connect(table_, &RunTableView::arranged, this, [this] {
        showCounts();
        // Not of each part of the runs while they are read.
        if (table_->reader().isWhole() || table_->table()->runs.empty()) comparer_->setTable(table_->table());
        verdict_->setNames(table_->model().arrangement()->names);
        question_->setNames(table_->model().arrangement()->names);
        verdict_->setSelected(table_->currentGroup());
        // The keyboard begins in the rows, once there are some.
        if (isVisible() && table_->model().rowCount() > 0 && !std::exchange(entered_, true))
            table_->view().setFocus(Qt::OtherFocusReason);
    });
    connect(comparer_, &StudyComparer::changed, this, [this] {
        table_->setComparison(comparer_->comparison());
        ticked_->setBaseline(comparer_->comparison()->isAsked ? comparer_->comparison()->baseline : std::string());
    });
    connect(comparer_, &StudyComparer::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(trainer_, &StudyTrainer::submissionRequested, this, &ComparePage::openSlurmDialog);
    connect(trainer_, &StudyTrainer::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(verdict_, &Panel::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(&question_->views(), &Segments::chosen, views_, &CompareViews::choose);
    table_->setBaseline(studio().colours().baseline());
    connect(&studio().colours(), &VariantColours::changed, this, [this] {
        table_->setBaseline(studio().colours().baseline());
        showTicked();
    });
}

void ComparePage::setShown(bool shown) {
    table_->reader().setActive(shown);
    if (shown) ticked_->suggest();
}

void ComparePage::openSlurmDialog(const KnownStudy& study, int runs) {
    SlurmDialog::Proposal proposal;
    proposal.folder = studio().slurm().folderOf(study.database);
    proposal.runs = runs;
    proposal.study = QString::fromStdString(study.key);
    auto* dialog = new SlurmDialog(proposal, studio().settings(), this);
    connect(dialog, &QDialog::accepted, this, [this, dialog, database = study.database, key = study.key] {
        studio().slurm().submitStudy(database, key, dialog->options());
    });
    dialog->open();
}

void ComparePage::showCounts() {
    const auto& shown = *table_->model().arrangement();
    const auto read = std::int64_t(table_->table()->runs.size()), total = table_->table()->total;
    counts_->setText(read < total         ? tr("%1 of %Ln run(s) read", nullptr, int(total)).arg(count(read))
                     : shown.shown < read ? tr("%1 of %Ln run(s)", nullptr, int(read)).arg(count(shown.shown))
                                          : tr("%Ln run(s)", nullptr, int(read)));
    grouping_->setCurrentIndex(table_->options().grouping == Grouping::Settings ? 0 : 1);
    exports_->setHasRuns(shown.shown > 0);
}

void ComparePage::showTicked() {
    const auto runs = ticked_->facts();
    std::vector<CurveRun> curves;
    for (const auto& run : runs)
        curves.push_back({run->record.ref, run->record.groupKey, runLabel(run->record), table_->nameOfGroup(run),
                          studio().colours().orderOf(run->record), memberOf(run->record)});
    const bool isOther = runs != compared_ || curves != drawn_ || runs.empty();
    compared_ = runs;
    drawn_ = curves;
    curves_->setChosen(table_->selectedRuns());
    table_->view().viewport()->update();  // groups drawn for the first time have their line now
    if (!isOther) return;
    curves_->setRuns(curves);
    differences_->setRuns(runs, table_->model().arrangement()->names);
    values_->setRuns(runs);
}

void ComparePage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    settings.beginGroup(name());
    table_->saveSession(settings);
    settings.endGroup();
    curves_->saveSession(settings);
    comparer_->saveSession(settings);
    ticked_->saveSession(settings);
}

void ComparePage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    settings.beginGroup(name());
    table_->restoreSession(settings);
    settings.endGroup();
    curves_->restoreSession(settings);
    comparer_->restoreSession(settings);
}

}  // namespace heddle::ui
