// SPDX-License-Identifier: GPL-3.0-or-later
// ComparePage: actions on runs, and export.
#include "ui/data/run_actions.h"
#include "ui/pages/compare/column_chooser.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/curves_panel.h"
#include "ui/pages/compare/filter_line.h"
#include "ui/pages/compare/run_table_export.h"
#include "ui/pages/compare/run_table_panel.h"
#include "ui/pages/compare/value_table.h"
#include "ui/plot/curve_plot.h"
#include "ui/theme/icons.h"
#include "ui/threads/background.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/picture.h"

#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QPushButton>
#include <QTreeView>

namespace heddle::ui {
namespace {

constexpr QSize kPicture(1200, 720);

}  // namespace

QAction* ComparePage::addPageAction(const QString& text, const QKeySequence& key, const std::function<void()>& does,
                                    QWidget* scope) {
    QAction* action = viewAction(text, key, does);
    (scope ? scope : this)->addAction(action);
    return action;
}

void ComparePage::buildActions() {
    QWidget* rows = &table_->view();
    watch_ = &onRuns_->watch();
    watch_->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    watch_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    rows->addAction(watch_);
    copy_ = addPageAction(
        tr("Copy rows"), QKeySequence::Copy, [this] { copyRows(); }, rows);
    copy_->setIcon(themeIcon(Icon::Copy));
    baseline_ = addPageAction(
        tr("Pin as baseline"), Qt::Key_B, [this] { pinBaseline(); }, rows);
    baseline_->setIcon(themeIcon(Icon::Pin));
    tick_ = addPageAction(
        tr("Show or hide curve"), Qt::Key_Space, [this] { table_->toggleTicks(); }, rows);
    tick_->setIcon(themeIcon(Icon::Eye));
    find_ = addPageAction(
        tr("Filter runs"), Qt::Key_Slash, [this] { filter_->setFocus(Qt::ShortcutFocusReason); }, rows);
    find_->setIcon(themeIcon(Icon::Filter));
    nextDifference_ = addPageAction(
        tr("Next difference"), Qt::Key_N,
        [this] {
            differencesDock_->show();
            differencesDock_->raise();
            differences_->selectNext();
        },
        rows);
    differences_->addAction(nextDifference_);
    ignoreOutliers_ = curves_->plot().makeOutlierAction(this);
    tableOfCurves_ = addPageAction(
        tr("Curves as a table"), Qt::Key_T,
        [this] {
            const bool chart = curves_->plot().mode() == PlotMode::Chart;
            curves_->plot().setMode(chart ? PlotMode::Table : PlotMode::Chart);
        },
        rows);
    tableOfCurves_->setIcon(themeIcon(Icon::Table));
    columns_ = addPageAction(tr("Columns…"), QKeySequence(),
                             [this] { chooser_->open(*columnsButton_, *table_->table(), table_->options().columns); });
    columns_->setIcon(themeIcon(Icon::Columns));
    connect(columnsButton_, &QPushButton::clicked, columns_, &QAction::trigger);
    exportTable_ = addPageAction(tr("Export table…"), QKeySequence(), [this] { chooseFile(Export::Table); });
    makeExport(*exportTable_);
    exportCurves_ = addPageAction(tr("Export curves as picture…"), QKeySequence(), [this] { chooseFile(Export::Picture); });
    exportValues_ = addPageAction(tr("Export values of curves…"), QKeySequence(), [this] { chooseFile(Export::Values); });
    auto* menu = findChild<QPushButton*>(QStringLiteral("exportButton"))->menu();
    menu->addActions({exportTable_, exportCurves_, exportValues_});
    menu->addAction(tr("Export end values…"), this, [this] { chooseFile(Export::EndValues); });
    menu->addAction(tr("Export differences…"), this, [this] { chooseFile(Export::Differences); });
    rows->addActions({&onRuns_->inspect(), &onRuns_->clone(), &onRuns_->fork()});
    rows->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QList<QAction*> ComparePage::editActions() const { return {copy_, find_}; }

QList<QAction*> ComparePage::viewActions() const {
    return {columns_, tableOfCurves_, ignoreOutliers_, nextDifference_, exportTable_, exportCurves_, exportValues_};
}

QList<QAction*> ComparePage::runActions() const {
    return {watch_, &onRuns_->inspect(), tick_, baseline_, &onRuns_->clone(), &onRuns_->fork()};
}

void ComparePage::updateActions() {
    const RunPointer run = table_->currentRun();
    for (QAction* action : {copy_, tick_, baseline_}) action->setEnabled(run != nullptr);
    onRuns_->setRuns(run ? std::vector<RunRef>{run->record.ref} : std::vector<RunRef>{});
    const bool pinned = run && !studio().baseline().empty() && run->record.groupKey == studio().baseline();
    const QString target = targetOf(run ? &run->record : nullptr);
    baseline_->setIconText(pinned ? tr("Unpin baseline") : tr("Pin as baseline"));
    setTarget(*baseline_, pinned ? tr("Unpin the group of %1 as baseline") : tr("Pin the group of %1 as baseline"), target);
    setTarget(*tick_, tr("Show or hide the curve of %1"), target);
    exportTable_->setEnabled(table_->model().arrangement()->shown > 0);
    exportTable_->setToolTip(exportTable_->isEnabled() ? QString() : tr("No run is in the table"));
}

void ComparePage::copyRows() {
    QGuiApplication::clipboard()->setText(
        QString::fromStdString(tableText(runsTable(table_->selectedRuns(), table_->options().columns), TableFormat::Tsv)));
}

void ComparePage::pinBaseline() {
    const std::string group = table_->currentGroup();
    if (group.empty()) return;
    studio().setBaseline(group == studio().baseline() ? std::string() : group);
    updateActions();
}

void ComparePage::chooseFile(Export what) {
    const std::map<Export, std::pair<QString, QString>> words{
        {Export::Table, {tr("Export table"), tr("runs")}},
        {Export::Picture, {tr("Export curves"), tr("curves")}},
        {Export::Values, {tr("Export curves"), tr("curves")}},
        {Export::EndValues, {tr("Export end values"), tr("end values")}},
        {Export::Differences, {tr("Export differences"), tr("settings")}}};
    const auto& [title, name] = words.at(what);
    openExportDialog({title, what == Export::Picture ? pictureFilters() : tableFilters(), name}, this,
                     [this, what](const QString& file) { exportTo(file, what); });
}

PlotTable ComparePage::tableOf(Export what) const {
    if (what == Export::Values) return curves_->plot().table();
    return what == Export::EndValues ? values_->table() : differences_->table();
}

void ComparePage::exportTo(const QString& file, Export what) {
    std::function<QByteArray()> bytes;
    if (what == Export::Picture)
        bytes = painted(curves_->plot().picture(kPicture), file);
    else if (const auto format = tableFormatOf(file.toStdString()); format && what == Export::Table)
        bytes = [shown = table_->model().arrangement(), format] {
            return QByteArray::fromStdString(exportOf(*shown, *format));
        };
    else
        bytes = [table = tableOf(what), file] { return tableBytes(table, file); };
    inBackground(
        this,
        [file, bytes] {
            writeWhole(file, bytes());
            return true;
        },
        [this, file](bool) {
            studio().report(MessageStrip::Message{StripKind::Ok, tr("Exported %1").arg(QFileInfo(file).fileName()), file});
        },
        [this, file](const Problem& problem) {
            studio().report(Problem{tr("The export was not written: %1").arg(problem.what), file,
                                    tr("Nothing else is affected."), tr("Choose another place.")});
        });
}

}  // namespace heddle::ui
