// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/compose_parts.h"

#include "ui/pages/compose/forms/parts.h"
#include "ui/pages/compose/panels/data_report.h"
#include "ui/pages/compose/panels/dims_form.h"
#include "ui/pages/compose/panels/json_editor.h"
#include "ui/pages/compose/panels/part_inspector.h"
#include "ui/pages/compose/panels/table_models.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/pages/compose/plan/training_form.h"
#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/small_parts.h"

#include <QHeaderView>
#include <QScrollArea>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {
namespace {

QTreeView* makeTable(CellTable* model, const char* name, const QString& accessibleName, QWidget* parent) {
    QTreeView* tree = makeTree(name, accessibleName, parent);
    tree->setModel(model);
    tree->setRootIsDecorated(false);
    tree->setIndentation(0);
    return tree;
}

}  // namespace

SlotSide::SlotSide(VariantDraft& draft, QWidget* parent) : QWidget(parent), draft_(draft) {
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(slotTitle_ = new PanelTitle(tr("Slot"), this));
    auto* body = new QWidget(this);
    QVBoxLayout* inner = makeColumn(body);
    inner->addWidget(inspector_ = new PartInspector(draft, body));
    inner->addWidget(costTitle_ = new PanelTitle(tr("Parameters by slot"), body));
    inner->addWidget(costs_ = makeTable(makeSlotCosts(draft, this), "slotCosts", tr("Parameters by slot"), body));
    costs_->setItemDelegateForColumn(1, new ShareDelegate(costs_));
    costs_->setSelectionMode(QAbstractItemView::NoSelection);
    costs_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    costs_->header()->setStretchLastSection(false);
    costs_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    costs_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    inner->addWidget(new DimsForm(draft, body));
    inner->addStretch();
    auto* area = new SideArea(px(330), this);
    area->setWidget(body);
    area->setFocusPolicy(Qt::NoFocus);
    column->addWidget(area, 1);
    connect(&draft, &VariantDraft::changed, this, &SlotSide::showCosts);
    for (const auto emitted : {&VariantDraft::changed, &VariantDraft::siteChanged})
        connect(&draft, emitted, this, &SlotSide::showSite);
    showCosts();
}

void SlotSide::showCosts() {
    costs_->setFixedHeight(costs_->sizeHintForRow(0) * std::max(1, costs_->model()->rowCount()) +
                           costs_->header()->sizeHint().height() + 2);
    costTitle_->setNote(draft_.facts() ? tr("of %1").arg(count(draft_.facts()->cost.parameters)) : QString());
}

void SlotSide::showSite() {
    const auto& site = draft_.site();
    slotTitle_->setTitle(site ? tr("Slot: %1").arg(text(site->slot)) : tr("Slot"));
    slotTitle_->setNote(site && draft_.facts() ? displayPath(*site, draft_.facts()->variant) : QString());
}

void SlotSide::useBlock(const std::string& slot, const std::string& block) {
    if (!draft_.facts()) return;
    if (draft_.site() && draft_.site()->slot == slot) return inspector_->choose(block);
    const auto sites = sitesOf(draft_.facts()->variant, slot);
    if (sites.empty()) return;
    draft_.chooseBlock(sites.front(), VariantDraft::Reach::Model, block);
    Q_EMIT pathChosen(modulePath(sites.front(), 0));
}

ReportTabs::ReportTabs(VariantDraft& draft, Studio& studio, MessageStrip& strip, QWidget* parent) : QTabWidget(parent) {
    setDocumentMode(true);
    setMinimumWidth(px(320));  // else long texts would cover the dock at the right
    CellTable* differences = makeDifferences(draft, this);
    addTable(makeProblems(draft, this), "problems", tr("Problems"));
    addTable(differences, "differences", tr("Differences"));
    widget(1)->setAccessibleName(tr("Differences from the baseline"));
    qobject_cast<QTreeView*>(widget(0))->setHeaderHidden(true);
    addTab(json_ = new JsonEditor(draft, this), tr("JSON"));
    addTab(data_ = new DataReport(draft, studio, this), tr("Data"));
    auto* area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(new TrainingForm(draft, area));
    addTab(area, tr("Training"));
    addTab(plan_ = new PlanTable(draft, studio, strip, this), tr("Experiment plan"));
    connect(&draft, &VariantDraft::changed, this, [this, &draft, differences] {
        const auto words = [](const QString& title, int number) {
            return number > 0 ? QStringLiteral("%1  %2").arg(title).arg(number) : title;
        };
        setTabText(0, words(tr("Problems"), int(draft.problems().size())));
        setTabText(1, words(tr("Differences"), differences->rowCount()));
    });
}

void ReportTabs::showJson(const std::string& key) {
    setCurrentWidget(json_);
    json_->goTo(key);
}

void ReportTabs::addTable(CellTable* model, const char* name, const QString& title) {
    QTreeView* tree = makeTable(model, name, title, this);
    tree->header()->setResizeContentsPrecision(32);  // rows that are measured
    tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    tree->header()->setStretchLastSection(true);
    for (const auto picked : {&QTreeView::clicked, &QTreeView::activated})
        connect(tree, picked, this, [this, model](const QModelIndex& row) { Q_EMIT pathChosen(model->pathOf(row)); });
    addTab(tree, title);
}

}  // namespace heddle::ui
