// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compare_actions.h"

#include "ui/data/studio.h"
#include "ui/pages/compare/run_table_export.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/theme/icons.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTreeView>

namespace heddle::ui {

CompareActions::CompareActions(Studio& studio, RunTableView& table, QObject* parent)
    : QObject(parent), studio_(studio), table_(table), onRuns_(new RunActions(studio, this)) {
    QAction& watch = onRuns_->watch();
    watch.setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    watch.setShortcutContext(Qt::WidgetWithChildrenShortcut);
    table_.view().addAction(&watch);
    copy_ = add(Icon::Copy, tr("Copy rows"), QKeySequence::Copy, [this] { copyRows(); });
    baseline_ = add(Icon::Pin, tr("Pin as baseline"), Qt::Key_B, [this] { pinBaseline(); });
    tick_ = add(Icon::Eye, tr("Show or hide curve"), Qt::Key_Space, [this] { table_.toggleTicks(); });
    find_ = add(Icon::Filter, tr("Filter runs"), Qt::Key_Slash, [this] { table_.filter().setFocus(Qt::ShortcutFocusReason); });
    table_.view().addActions({&onRuns_->inspect(), &onRuns_->clone(), &onRuns_->fork()});
    table_.view().setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(&table_, &RunTableView::activated, &watch, &QAction::trigger);
    connect(&table_, &RunTableView::arranged, this, &CompareActions::refresh);
    connect(&table_, &RunTableView::selectionChanged, this, &CompareActions::refresh);
    refresh();
}

QAction* CompareActions::add(Icon icon, const QString& text, const QKeySequence& key, const std::function<void()>& does) {
    auto* action = new QAction(themeIcon(icon), text, this);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, does);
    table_.view().addAction(action);
    return action;
}

QList<QAction*> CompareActions::onRuns() const {
    return {&onRuns_->watch(), &onRuns_->inspect(), tick_, baseline_, &onRuns_->clone(), &onRuns_->fork()};
}

void CompareActions::refresh() {
    const RunPointer run = table_.currentRun();
    for (QAction* action : {copy_, tick_, baseline_}) action->setEnabled(run != nullptr);
    onRuns_->setRuns(run ? std::vector<RunRef>{run->record.ref} : std::vector<RunRef>{});
    const bool pinned = run && !studio_.colours().baseline().empty() && run->record.groupKey == studio_.colours().baseline();
    const QString target = targetOf(run ? &run->record : nullptr);
    baseline_->setIconText(pinned ? tr("Unpin baseline") : tr("Pin as baseline"));
    setTarget(*baseline_, pinned ? tr("Unpin the group of %1 as baseline") : tr("Pin the group of %1 as baseline"), target);
    setTarget(*tick_, tr("Show or hide the curve of %1"), target);
}

void CompareActions::copyRows() {
    QGuiApplication::clipboard()->setText(QString::fromStdString(tableText(
        runsTable(table_.selectedRuns(), table_.options().columns, table_.options().comparison.get()), TableFormat::Tsv)));
}

void CompareActions::pinBaseline() {
    const std::string group = table_.currentGroup();
    if (group.empty()) return;
    studio_.colours().setBaseline(group == studio_.colours().baseline() ? std::string() : group);
    refresh();
}

}  // namespace heddle::ui
