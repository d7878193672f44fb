// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/compose_page.h"

#include "engine/base/json.h"
#include "ui/pages/compose/compose_parts.h"
#include "ui/pages/compose/draft_actions.h"
#include "ui/pages/compose/layer_actions.h"
#include "ui/pages/compose/over_menu.h"
#include "ui/pages/compose/panels/data_report.h"
#include "ui/pages/compose/panels/part_inspector.h"
#include "ui/pages/compose/panels/parts_tabs.h"
#include "ui/pages/compose/panels/totals_strip.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/pages/layout_box.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"
#include "ui/widgets/tool_bar_compactor.h"

#include <QAction>
#include <QDockWidget>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {

ComposePage::ComposePage(Studio& studio)
    : Page(studio, PageId::Compose, QStringLiteral("compose")),
      file_(studio),
      library_(new VariantLibrary(draft_, studio, this)) {
    auto* middle = new QWidget(this);
    QVBoxLayout* column = makeColumn(middle);
    column->addWidget(totals_ = new TotalsStrip(draft_, studio, middle));
    column->addWidget(strip_ = new MessageStrip(middle));
    column->addWidget(diagram_ = new DraftDiagram(draft_, studio, middle), 1);
    diagram_->setMinimumWidth(px(320));
    setCentralWidget(middle);
    makeActions();
    makeDocks();
    makeToolBar();
    connectParts();
    rememberLayout();
}

/// An open editor of the plan changes the draft when the page hides: the draft must still be there.
ComposePage::~ComposePage() { hide(); }

void ComposePage::makeActions() {
    drafts_ = new DraftActions(draft_, *library_, studio(), *strip_, *this);
    layers_ = new LayerActions(draft_, *diagram_, studio(), *strip_);
    over_ = new OverMenu(draft_, *library_, studio(), *strip_, *diagram_);
    QAction* find = makeAction(this, {"findPreset", tr("Find preset"), Icon::Search, QKeySequence::Find}, [this] {
        left_->show();
        left_->raise();
        parts_->focusFilter();
    });
    find->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    editActions_ = {drafts_->undo,     drafts_->redo,   drafts_->save,          drafts_->rename,
                    layers_->copy,     layers_->paste,  layers_->pasteOnto,     layers_->carryFrom,
                    layers_->earlier,  layers_->later,  diagram_->exportAction, find,
                    drafts_->pinDraft, drafts_->control};
    for (QAction* action : {diagram_->unfold, diagram_->mark, over_->menuAction(), diagram_->carries, diagram_->zoomInAction,
                            diagram_->zoomOutAction, diagram_->actualSize, diagram_->fitAction})
        add(viewActions_, action, {this});
    runActions_ = {drafts_->plan};
    addActions({layers_->earlier, layers_->later, find, diagram_->exportAction});
    makeExport(*diagram_->exportAction);
}

void ComposePage::makeDocks() {
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    parts_ = new PartsTabs(draft_, this);
    parts_->setMinimumWidth(px(200));
    side_ = new SlotSide(draft_, this);
    reports_ = new ReportTabs(draft_, studio(), *strip_, this);
    left_ = makeDock(QStringLiteral("compose-parts"), tr("Presets, blocks, outline"), parts_);
    right_ = makeDock(QStringLiteral("compose-slot"), tr("Slot, parameters, dimensions"), side_);
    below_ = makeDock(QStringLiteral("compose-below"), tr("Problems, differences, JSON, plan"), reports_);
    for (QDockWidget* dock : {left_, right_, below_}) dock->setTitleBarWidget(new QWidget(dock));  // the tabs are title enough
    addDockWidget(Qt::LeftDockWidgetArea, left_);
    addDockWidget(Qt::RightDockWidgetArea, right_);
    tabWhenNarrow(left_, right_);
    addDockWidget(Qt::BottomDockWidgetArea, below_);
    // Wide enough for the names and counts of the presets.
    const int words = textWidth(QStringLiteral("thesis-G2-separate  137,867,322"), typeFont(Type::Body));
    resizeDocks({left_}, {words + px(132)}, Qt::Horizontal);
    resizeDocks({right_}, {side_->minimumSizeHint().width()}, Qt::Horizontal);
    resizeDocks({below_}, {px(100)}, Qt::Vertical);
    // Single letters act only where a view has the keyboard.
    for (QAction* action : {drafts_->pinDraft, drafts_->control}) {
        diagram_->addAction(action);
        parts_->addToTrees(action);
    }
}

void ComposePage::makeToolBar() {
    auto* bar = new QToolBar(tr("Compose"), this);
    bar->setObjectName(QStringLiteral("compose-tools"));
    bar->setMovable(false);
    bar->setFixedHeight(px(34));
    drafts_->addTools(*bar);
    std::vector<QToolButton*> folding = diagram_->addTools(*bar, over_->makeButton(bar));
    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    folding.push_back(addButton(*bar, drafts_->control, Qt::ToolButtonTextBesideIcon));
    QToolButton* plan = addButton(*bar, drafts_->plan, Qt::ToolButtonTextOnly);
    setControlRole(*plan, ControlRole::Primary);
    plan->setMinimumWidth(plan->sizeHint().width() + px(8));         // as wide as a push button
    bar->addWidget(new LayoutBox(*this, studio().settings(), bar));  // last: the first to fold away
    addToolBar(bar);
    new ToolBarCompactor(*bar, folding);
}

void ComposePage::connectParts() {
    const PlanModel* plan = &reports_->plan()->model();
    connect(plan, &PlanModel::changed, &autosave_, &CoalescingTimer::postpone);  // with every change of the draft
    connect(plan, &PlanModel::changed, this, [this, plan] { totals_->showStep(plan->stepOfDraft(), plan->stepOfBaseline()); });
    connect(over_, &OverMenu::chosen, &autosave_, &CoalescingTimer::postpone);
    connect(&draft_, &VariantDraft::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(library_, &VariantLibrary::changed, this, &ComposePage::showLibrary);
    connect(diagram_, &DiagramView::siteChosen, this, [this](const std::optional<SlotSite>& site) {
        if (site) right_->raise();
    });
    connect(diagram_, &DiagramView::inspectRequested, this, [this] {
        right_->show();
        right_->raise();
        side_->inspector().focusChoices();
    });
    connect(parts_, &PartsTabs::presetOpened, drafts_, &DraftActions::openEntry);
    connect(parts_, &PartsTabs::pinRequested, drafts_, &DraftActions::pinEntry);
    connect(parts_, &PartsTabs::removeRequested, drafts_, &DraftActions::remove);
    connect(parts_, &PartsTabs::blockChosen, side_, &SlotSide::useBlock);
    connect(parts_, &PartsTabs::moduleChosen, diagram_, &DraftDiagram::goTo);
    connect(side_, &SlotSide::pathChosen, diagram_, &DraftDiagram::goTo);
    connect(reports_, &ReportTabs::pathChosen, diagram_, &DraftDiagram::goTo);
    connect(reports_, &QTabWidget::currentChanged, this, [this] {
        if (reports_->currentWidget() == reports_->data()) growBottom();
    });
    connect(drafts_->plan, &QAction::triggered, this, [this] {
        below_->show();
        reports_->setCurrentWidget(reports_->plan());
        growBottom();
        reports_->plan()->setFocus(Qt::ShortcutFocusReason);
    });
    connect(drafts_->pinDraft, &QAction::triggered, this, [this] {
        const PresetEntry* entry = parts_->focusedPreset();
        entry ? drafts_->pinEntry(PresetEntry(*entry)) : drafts_->pinShown();
    });
    connect(&studio(), &Studio::composeRequested, this, &ComposePage::compose);
    connect(&studio(), &Studio::planRequested, this, [this](const std::vector<PlanRow>& rows) {
        reports_->plan()->model().setTicked(QStringLiteral("0"));
        for (const PlanRow& row : rows) reports_->plan()->model().add(row, tr("more seeds"));
        drafts_->plan->trigger();
    });
}

void ComposePage::setShown(bool shown) {
    library_->setActive(shown);
    drafts_->setActive(shown);
}

bool ComposePage::isSettled() const {
    // A draft that was never valid has problems instead of facts.
    return Page::isSettled() && (draft_.facts() || !draft_.problems().empty()) && diagram_->isSettled() &&
           totals_->isSettled() && reports_->plan()->isSettled();
}

void ComposePage::showLibrary() {
    parts_->presets().setEntries(library_->entries());
    if (draft_.document().is_object() || !library_->openFirst(draft_)) return;
    if (!draft_.site()) diagram_->selectFirstDifference();
}

void ComposePage::compose(const Json& document, const QString& name, const RunRef& run, const std::string& key) {
    if (run.empty()) return drafts_->open(document, name);
    drafts_->openRun(document, name, run);
    reports_->plan()->model().setTicked(QStringLiteral("1"));  // the other rows belong to another experiment
    if (!key.empty()) reports_->showJson(key);
}

void ComposePage::growBottom() {
    const int wanted = std::min(px(220), height() / 2);
    if (below_->height() < wanted) resizeDocks({below_}, {wanted}, Qt::Vertical);
}

void ComposePage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    diagram_->saveSession(settings);
    over_->saveSession(settings);
}

void ComposePage::saveDocuments(const QSettings& settings) const { file_.write(settings, documents()); }

/// Null while there is no draft.
Json ComposePage::documents() const {
    if (!draft_.document().is_object()) return {};
    return {{"drafts", draft_.session()}, {"plan", reports_->plan()->model().session()}};
}

void ComposePage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    over_->restoreSession(settings);
    file_.read(settings, [this](const Json& documents) {
        draft_.restore(documents.at("drafts"));
        reports_->plan()->model().restore(documents.at("plan"));  // last: a plan that cannot be read must not lose the drafts
    });
    diagram_->restoreSession(settings);
}

}  // namespace heddle::ui
