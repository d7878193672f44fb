// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/compose_page.h"

#include "ui/pages/compose/compose_parts.h"
#include "ui/pages/compose/draft_actions.h"
#include "ui/pages/compose/layer_actions.h"
#include "ui/pages/compose/over_menu.h"
#include "ui/pages/compose/panels/data_report.h"
#include "ui/pages/compose/panels/json_editor.h"
#include "ui/pages/compose/panels/part_inspector.h"
#include "ui/pages/compose/panels/parts_tabs.h"
#include "ui/pages/compose/panels/totals_strip.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/pages/layout_box.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/button_folder.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QPushButton>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {

ComposePage::ComposePage(Studio& studio)
    : Page(studio, PageId::Compose, QStringLiteral("compose")),
      file_(studio),
      library_(new VariantLibrary(draft_, studio, this)) {
    makeMiddle();
    makeActions();
    makeDocks();
    makeToolBar();
    connectParts();
    autosave_.setSingleShot(true);
    autosave_.setInterval(1000);
    connect(&autosave_, &QTimer::timeout, this, [this] { saveSession(this->studio().settings()); });
    rememberLayout();
}

void ComposePage::makeMiddle() {
    auto* middle = new QWidget(this);
    QVBoxLayout* column = makeColumn(middle);
    column->addWidget(totals_ = new TotalsStrip(draft_, studio(), middle));
    column->addWidget(strip_ = new MessageStrip(middle));
    column->addWidget(diagram_ = new DraftDiagram(draft_, studio(), middle), 1);
    diagram_->setMinimumWidth(px(320));
    setCentralWidget(middle);
}

void ComposePage::makeActions() {
    drafts_ = new DraftActions(draft_, *library_, studio(), *strip_, *this);
    layers_ = new LayerActions(draft_, *diagram_, studio(), *strip_);
    over_ = new OverMenu(draft_, *library_, studio(), *strip_, *diagram_);
    find_ = new QAction(themeIcon(Icon::Search), tr("Find preset"), this);
    find_->setShortcut(QKeySequence::Find);
    planAction_ = new QAction(tr("Plan experiment…"), this);
    planAction_->setObjectName(QStringLiteral("planExperiment"));
    addActions({layers_->earlier, layers_->later});
    for (QAction* action : viewActions() + QList<QAction*>{find_}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
    makeExport(*diagram_->exportAction);
    addAction(diagram_->exportAction);
}

QList<QAction*> ComposePage::editActions() const {
    return {drafts_->undo,      drafts_->redo,      drafts_->save,    drafts_->rename, layers_->copy,          layers_->paste,
            layers_->pasteOnto, layers_->carryFrom, layers_->earlier, layers_->later,  diagram_->exportAction, find_,
            drafts_->pinDraft,  drafts_->control};
}

QList<QAction*> ComposePage::viewActions() const {
    return {diagram_->unfold,       diagram_->mark,          over_->menuAction(),  diagram_->carries,
            diagram_->zoomInAction, diagram_->zoomOutAction, diagram_->actualSize, diagram_->fitAction};
}

QDockWidget* ComposePage::addDock(const QString& name, const QString& title, std::pair<Qt::DockWidgetArea, QWidget*> content) {
    QDockWidget* dock = makeDock(QStringLiteral("compose-") + name, title, content.second);
    dock->setTitleBarWidget(new QWidget(dock));  // the tabs inside are title enough
    addDockWidget(content.first, dock);
    return dock;
}

void ComposePage::makeDocks() {
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    parts_ = new PartsTabs(draft_, this);
    parts_->setMinimumWidth(px(200));
    side_ = new SlotSide(draft_, this);
    reports_ = new ReportTabs(draft_, studio(), *strip_, this);
    left_ = addDock(QStringLiteral("parts"), tr("Presets, blocks, outline"), {Qt::LeftDockWidgetArea, parts_});
    right_ = addDock(QStringLiteral("slot"), tr("Slot, parameters, dimensions"), {Qt::RightDockWidgetArea, side_});
    below_ = addDock(QStringLiteral("below"), tr("Problems, differences, JSON, plan"), {Qt::BottomDockWidgetArea, reports_});
    // Wide enough for the names and counts of the presets.
    const int words = textWidth(QStringLiteral("thesis-G2-separate  137,867,322"), typeFont(Type::Body));
    resizeDocks({left_}, {words + px(132)}, Qt::Horizontal);
    resizeDocks({right_}, {side_->minimumSizeHint().width()}, Qt::Horizontal);
    resizeDocks({below_}, {px(100)}, Qt::Vertical);
    // Single letters act only where a view has the keyboard.
    for (QAction* action : {drafts_->pinDraft, drafts_->control}) {
        action->setShortcutContext(Qt::WidgetShortcut);
        diagram_->addAction(action);
        for (QTreeView* tree : parts_->findChildren<QTreeView*>()) tree->addAction(action);
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
    auto* plan = new QPushButton(planAction_->iconText(), bar);
    plan->setFocusPolicy(Qt::TabFocus);
    plan->setToolTip(planAction_->toolTip());
    connect(planAction_, &QAction::enabledChanged, plan, &QWidget::setEnabled);
    connect(plan, &QPushButton::clicked, planAction_, &QAction::trigger);
    setControlRole(*plan, ControlRole::Primary);
    bar->addWidget(plan);
    bar->addWidget(new LayoutBox(*this, studio().settings(), bar));  // last: the first to fold away
    addToolBar(bar);
    new ButtonFolder(*bar, folding);
    planAction_->setEnabled(false);
}

void ComposePage::connectParts() {
    const auto save = qOverload<>(&QTimer::start);
    const PlanModel* plan = &reports_->plan()->model();
    connect(plan, &PlanModel::changed, &autosave_, save);  // with every change of the draft
    connect(plan, &PlanModel::changed, this, [this, plan] { totals_->showStep(plan->stepOfDraft(), plan->stepOfBaseline()); });
    connect(over_, &OverMenu::chosen, &autosave_, save);
    connect(&draft_, &VariantDraft::changed, this, [this] { planAction_->setEnabled(draft_.facts() != nullptr); });
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
    connect(find_, &QAction::triggered, this, [this] {
        left_->show();
        left_->raise();
        parts_->focusFilter();
    });
    connect(drafts_->pinDraft, &QAction::triggered, this, [this] {
        const auto* tree = qobject_cast<QTreeView*>(QApplication::focusWidget());
        const PresetEntry* entry =
            tree && parts_->isAncestorOf(tree) && parts_->currentIndex() == 0 ? parts_->currentPreset() : nullptr;
        entry ? drafts_->pinEntry(PresetEntry(*entry)) : drafts_->pinShown();
    });
    connect(planAction_, &QAction::triggered, this, &ComposePage::showPlan);
    connect(&studio(), &Studio::composeRequested, this, &ComposePage::compose);
    Databases& databases = studio().databases();
    for (const auto news : {&Databases::currentChanged, &Databases::runsChanged})
        connect(&databases, news, this, [this] { shown_ ? drafts_->offerSample() : void(); });
    connect(&databases, &Databases::changed, this, [this](int number) {
        if (shown_ && number == this->studio().databases().currentNumber()) library_->readSaved();
    });
}

void ComposePage::setShown(bool shown) {
    shown_ = shown;
    if (!shown) return;
    library_->readSaved();
    drafts_->offerSample();
}

bool ComposePage::isSettled() const {
    return library_->isSettled() && layers_->isSettled() && over_->isSettled() && draft_.isSettled() && draft_.facts() &&
           diagram_->isSettled() && totals_->isSettled() && reports_->plan()->isSettled();
}

void ComposePage::showLibrary() {
    std::vector<PresetEntry> all = library_->saved();
    all.insert(all.end(), library_->shipped().begin(), library_->shipped().end());
    parts_->presets().setEntries(std::move(all));
    parts_->presets().setPinned(draft_.baselineName());
    if (draft_.document().is_object() || !library_->openFirst(draft_)) return;
    if (!draft_.site()) diagram_->selectFirstDifference();
}

void ComposePage::compose(const Json& document, const QString& name, const RunRef& run, const std::string& key) {
    if (run.empty()) return drafts_->open(document, name);
    drafts_->openRun(document, name, run);
    reports_->plan()->model().setTicked(QStringLiteral("1"));  // its other rows belong to another experiment
    if (key.empty()) return;
    reports_->setCurrentWidget(reports_->json());
    reports_->json()->goTo(key);
}

void ComposePage::showPlan() {
    below_->show();
    reports_->setCurrentWidget(reports_->plan());
    growBottom();
    reports_->plan()->setFocus(Qt::ShortcutFocusReason);
}

void ComposePage::arrangeSides() {
    const bool isNarrow = width() < px(1100), isTabbed = tabifiedDockWidgets(left_).contains(right_);
    if (left_->isHidden() || right_->isHidden() || isNarrow == isTabbed) return;
    if (isNarrow) {
        tabifyDockWidget(left_, right_);
        left_->raise();
    } else {
        addDockWidget(Qt::RightDockWidgetArea, right_);
        fitDocks();
    }
}

void ComposePage::arrange(const QByteArray& arrangement) {
    Page::arrange(arrangement);
    arrangeSides();
}

void ComposePage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    QTimer::singleShot(0, this, &ComposePage::arrangeSides);  // the docks have their new places then
}

void ComposePage::growBottom() {
    const int wanted = std::min(px(220), height() / 2);
    if (below_->height() < wanted) resizeDocks({below_}, {wanted}, Qt::Vertical);
}

void ComposePage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    diagram_->saveSession(settings);
    over_->saveSession(settings);
    if (draft_.document().is_object())
        file_.write(settings, {{"drafts", draft_.session()}, {"plan", reports_->plan()->model().session()}});
}

void ComposePage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    over_->restoreSession(settings);
    file_.read(settings, [this](const Json& documents) {
        draft_.restore(documents.at("drafts"));
        reports_->plan()->model().restore(documents.at("plan"));  // last: a plan that cannot be read takes no draft with it
    });
    diagram_->restoreSession(settings);
}

}  // namespace heddle::ui
