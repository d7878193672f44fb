// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the page: actions, tool bar, middle and docks.
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/pages/compose/panels/data_panel.h"
#include "ui/pages/compose/panels/dims_panel.h"
#include "ui/pages/compose/panels/draft_button.h"
#include "ui/pages/compose/panels/json_panel.h"
#include "ui/pages/compose/panels/part_inspector.h"
#include "ui/pages/compose/panels/parts_panel.h"
#include "ui/pages/compose/panels/table_models.h"
#include "ui/pages/compose/panels/totals_strip.h"
#include "ui/pages/compose/plan/plan_panel.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/pages/first_run.h"
#include "ui/pages/layout_box.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/button_folder.h"
#include "ui/widgets/side_area.h"

#include <QAction>
#include <QDockWidget>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {
namespace {

/// Adds a button with the icon and the words of an action; one with the icon alone is flat.
QToolButton* addButton(QToolBar& bar, QAction* action, Qt::ToolButtonStyle style = Qt::ToolButtonIconOnly) {
    auto* button = new QToolButton(&bar);
    button->setDefaultAction(action);
    bar.addWidget(button);
    button->setAutoRaise(style == Qt::ToolButtonIconOnly);  // after the bar has changed it
    button->setToolButtonStyle(style);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(action->iconText());
    return button;
}

}  // namespace

void ComposePage::makeActions() {
    const auto make = [this](std::optional<Icon> icon, const QString& words, const QKeySequence& key) {
        auto* action = new QAction(words, this);
        if (icon) action->setIcon(themeIcon(*icon));
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
        return action;
    };
    save_ = make(Icon::Save, tr("Save variant"), QKeySequence::Save);
    rename_ = make(Icon::Edit, tr("Rename variant…"), {});
    undo_ = draft_.histories().createUndoAction(this, tr("Undo"));
    redo_ = draft_.histories().createRedoAction(this, tr("Redo"));
    undo_->setIcon(themeIcon(Icon::Undo));
    redo_->setIcon(themeIcon(Icon::Redo));
    undo_->setShortcut(QKeySequence::Undo);
    redo_->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    for (QAction* action : {undo_, redo_}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
    find_ = make(Icon::Search, tr("Find preset"), QKeySequence::Find);
    pin_ = make(Icon::Pin, tr("Pin as baseline"), Qt::Key_B);
    matched_ = make(Icon::Difference, tr("Make matched control"), Qt::Key_M);
    matched_->setToolTip(
        tr("This experiment with the baseline, whose feed-forward width gives it as many parameters as this variant"));
    unfold_ = make(Icon::Fold, tr("Unfold layers"), {});
    unfold_->setCheckable(true);
    mark_ = make(Icon::NotEqual, tr("Mark differences"), Qt::CTRL | Qt::Key_D);
    mark_->setCheckable(true);
    mark_->setChecked(true);
    carries_ = make({}, tr("Show score carries"), {});
    carries_->setCheckable(true);
    carries_->setChecked(true);
    carries_->setToolTip(tr("Arcs between unfolded layers whose scores are carried on"));
    zoomIn_ = make(Icon::ZoomIn, tr("Zoom in"), QKeySequence::ZoomIn);
    zoomOut_ = make(Icon::ZoomOut, tr("Zoom out"), QKeySequence::ZoomOut);
    zoomReset_ = make({}, tr("Actual size"), Qt::CTRL | Qt::Key_0);
    fit_ = make(Icon::Expand, tr("Fit diagram"), {});
    fit_->setObjectName(QStringLiteral("fitDiagram"));
    planAction_ = make({}, tr("Plan experiment…"), {});
    planAction_->setObjectName(QStringLiteral("planExperiment"));
    makeLayerActions();
    makeOverMenu();
    export_ = make(Icon::Export, tr("Export diagram…"), {});
    makeExport(*export_);
    export_->setToolTip(tr("SVG, PDF or PNG, without editing marks"));
    return_ = new QAction(themeIcon(Icon::Undo), tr("Return to it"), this);
    return_->setObjectName(QStringLiteral("returnToDraft"));
    close_ = new QAction(tr("Close draft"), this);
    close_->setObjectName(QStringLiteral("closeDraft"));
    sample_ = new QAction(tr("Train the sample"), this);
    connectActions();
}

void ComposePage::connectActions() {
    connect(export_, &QAction::triggered, this, &ComposePage::exportDiagram);
    connect(carries_, &QAction::toggled, this, [this](bool on) {
        options_.carries = on ? Marking::On : Marking::Off;
        relayout();
    });
    connect(sample_, &QAction::triggered, this, [this] {
        strip_->hide();
        trainSample(studio());
        studio().go(PageId::Watch);
    });
    connect(save_, &QAction::triggered, this, &ComposePage::save);
    connect(rename_, &QAction::triggered, this, &ComposePage::rename);
    connect(find_, &QAction::triggered, this, [this] {
        docks_.front()->show();
        docks_.front()->raise();
        parts_->focusFilter();
    });
    connect(pin_, &QAction::triggered, this, &ComposePage::pinBaseline);
    connect(matched_, &QAction::triggered, this, &ComposePage::makeMatchedControl);
    connect(unfold_, &QAction::triggered, this, [this](bool on) {
        setUnfolded(on ? std::set<std::string>{"encoder", "decoder"} : std::set<std::string>{});
    });
    connect(mark_, &QAction::toggled, this, [this](bool on) {
        options_.differences = on ? Marking::On : Marking::Off;
        relayout();
    });
    connect(planAction_, &QAction::triggered, this, &ComposePage::showPlan);
    connect(return_, &QAction::triggered, this, [this] { showDraft(previous_); });
    connect(close_, &QAction::triggered, this, &ComposePage::closeDraft);
}

void ComposePage::makeToolBar() {
    auto* bar = new QToolBar(tr("Compose"), this);
    bar->setObjectName(QStringLiteral("compose-tools"));
    bar->setMovable(false);
    bar->setFixedHeight(px(34));
    draftButton_ = new DraftButton(bar);
    draftButton_->setAccessibleName(tr("Draft: new, open, save"));
    auto* menu = new QMenu(draftButton_);
    draftButton_->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, &ComposePage::fillDraftMenu);
    bar->addWidget(draftButton_);
    addButton(*bar, save_);
    bar->addSeparator();
    addButton(*bar, undo_);
    addButton(*bar, redo_);
    bar->addSeparator();
    std::vector<QAbstractButton*> folding;
    for (QAction* action : {unfold_, mark_}) folding.push_back(addButton(*bar, action, Qt::ToolButtonTextBesideIcon));
    auto* over = new QToolButton(bar);
    over->setIcon(themeIcon(Icon::Compare));
    over->setAutoRaise(true);
    over->setPopupMode(QToolButton::InstantPopup);
    over->setMenu(overMenu_);
    over->setFocusPolicy(Qt::TabFocus);
    over->setToolTip(tr("Draw the draft over another variant: what is new, missing and changed"));
    over->setAccessibleName(overMenu_->title());
    bar->addWidget(over);
    bar->addSeparator();
    addButton(*bar, zoomOut_);
    zoomWords_ = makeCaption(QStringLiteral("100 %"), bar);
    zoomWords_->setFont(numberFont(Type::Body));
    zoomWords_->setMinimumWidth(px(42));
    zoomWords_->setAlignment(Qt::AlignCenter);
    bar->addWidget(zoomWords_);
    addButton(*bar, zoomIn_);
    addButton(*bar, fit_);
    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    folding.push_back(addButton(*bar, matched_, Qt::ToolButtonTextBesideIcon));
    auto* plan = new QPushButton(planAction_->iconText(), bar);
    plan->setFocusPolicy(Qt::TabFocus);
    plan->setToolTip(planAction_->toolTip());
    plan->setEnabled(planAction_->isEnabled());
    connect(planAction_, &QAction::enabledChanged, plan, &QWidget::setEnabled);
    connect(plan, &QPushButton::clicked, planAction_, &QAction::trigger);
    setControlRole(*plan, ControlRole::Primary);
    bar->addWidget(plan);
    bar->addWidget(new LayoutBox(*this, studio().settings(), bar));  // last: the first to fold away
    addToolBar(bar);
    new ButtonFolder(*bar, folding);
}

void ComposePage::makeMiddle() {
    auto* middle = new QWidget(this);
    QVBoxLayout* column = makeColumn(middle);
    column->addWidget(totals_ = new TotalsStrip(middle));
    column->addWidget(strip_ = new MessageStrip(middle));
    column->addWidget(view_ = new DiagramView(middle), 1);
    view_->setMinimumWidth(px(320));
    setCentralWidget(middle);
    connect(zoomIn_, &QAction::triggered, view_, &DiagramView::zoomIn);
    connect(zoomOut_, &QAction::triggered, view_, &DiagramView::zoomOut);
    connect(zoomReset_, &QAction::triggered, view_, [this] { view_->setZoom(1); });
    connect(fit_, &QAction::triggered, view_, [this] { view_->fit(); });
    view_->addActions({copyLayer_, pasteLayer_, pasteOnto_, carryFrom_});  // text fields copy and paste their own
    connect(view_, &DiagramView::zoomChanged, this,
            [this](double zoom) { zoomWords_->setText(tr("%1 %").arg(qRound(100 * zoom))); });
}

QDockWidget* ComposePage::addDock(const QString& name, const QString& title, std::pair<Qt::DockWidgetArea, QWidget*> content) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(QStringLiteral("compose-") + name);
    dock->setWidget(content.second);
    dock->setTitleBarWidget(new QWidget(dock));  // the tabs inside are title enough
    addDockWidget(content.first, dock);
    docks_ << dock;
    return dock;
}

void ComposePage::makeLeft() {
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    parts_ = new PartsPanel(this);
    parts_->setMinimumWidth(px(200));
    QDockWidget* dock = addDock(QStringLiteral("parts"), tr("Presets, blocks, outline"), {Qt::LeftDockWidgetArea, parts_});
    // Wide enough for the names and counts of the presets.
    const int words = textWidth(QStringLiteral("thesis-G2-separate  137,867,322"), typeFont(Type::Body));
    resizeDocks({dock}, {words + px(132)}, Qt::Horizontal);
    // Single letters act only where a view has the keyboard.
    for (QAction* action : {pin_, matched_}) {
        removeAction(action);
        action->setShortcutContext(Qt::WidgetShortcut);
        view_->addAction(action);
        for (QTreeView* tree : parts_->findChildren<QTreeView*>()) tree->addAction(action);
    }
}

void ComposePage::makeRight() {
    auto* side = new QWidget(this);
    QVBoxLayout* column = makeColumn(side);
    column->addWidget(slotTitle_ = new SectionTitle(tr("Slot"), side));
    auto* body = new QWidget(side);
    QVBoxLayout* inner = makeColumn(body);
    inner->addWidget(inspector_ = new PartInspector(draft_, body));
    inner->addWidget(costTitle_ = new SectionTitle(tr("Parameters by slot"), body));
    costs_ = new SlotCostModel(this);
    costTable_ = makeTable(costs_, tr("Parameters by slot"));
    costTable_->setItemDelegateForColumn(1, new ShareDelegate(costTable_));
    costTable_->setSelectionMode(QAbstractItemView::NoSelection);
    costTable_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QHeaderView* header = costTable_->header();
    header->setStretchLastSection(false);
    for (const int section : {0, 2, 3}) header->setSectionResizeMode(section, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(1, QHeaderView::Stretch);
    inner->addWidget(costTable_);
    inner->addWidget(dims_ = new DimsPanel(draft_, body));
    inner->addStretch();
    auto* area = new SideArea(px(330), side);
    area->setWidget(body);
    area->setFocusPolicy(Qt::NoFocus);
    column->addWidget(area, 1);
    QDockWidget* dock = addDock(QStringLiteral("slot"), tr("Slot, parameters, dimensions"), {Qt::RightDockWidgetArea, side});
    resizeDocks({dock}, {area->minimumSizeHint().width()}, Qt::Horizontal);
}

QTreeView* ComposePage::makeTable(QAbstractItemModel* model, const QString& name) {
    QTreeView* tree = makeTree(name, this);
    tree->setModel(model);
    tree->setRootIsDecorated(false);
    tree->setIndentation(0);
    return tree;
}

void ComposePage::makeBottom() {
    bottom_ = new QTabWidget(this);
    bottom_->setDocumentMode(true);
    bottom_->setMinimumWidth(px(320));  // else long words push it over the dock at the right
    problems_ = new ProblemModel(this);
    differences_ = new DifferenceModel(this);
    QTreeView* problems = makeTable(problems_, tr("Problems"));
    problems->setHeaderHidden(true);
    QTreeView* differences = makeTable(differences_, tr("Differences from the baseline"));
    for (QTreeView* tree : {problems, differences}) {
        tree->header()->setResizeContentsPrecision(32);  // rows that decide on a width
        tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
        tree->header()->setStretchLastSection(true);
    }
    bottom_->addTab(problems, tr("Problems"));
    bottom_->addTab(differences, tr("Differences"));
    bottom_->addTab(json_ = new JsonPanel(draft_, this), tr("JSON"));
    plan_ = new PlanPanel(draft_, this);
    auto* area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(plan_);
    bottom_->addTab(data_ = new DataPanel(draft_, studio(), this), tr("Data"));
    bottom_->addTab(area, tr("Training"));
    bottom_->addTab(table_ = new PlanTable(studio(), this), tr("Experiment plan"));
    const auto follow = [this](QTreeView* tree, const CellTable* model) {
        for (const auto picked : {&QTreeView::clicked, &QTreeView::activated})
            connect(tree, picked, this, [this, model](const QModelIndex& row) { goTo(model->pathOf(row.row())); });
    };
    follow(problems, problems_);
    follow(differences, differences_);
    QDockWidget* dock =
        addDock(QStringLiteral("below"), tr("Problems, differences, JSON, plan"), {Qt::BottomDockWidgetArea, bottom_});
    resizeDocks({dock}, {px(100)}, Qt::Vertical);
    connect(bottom_, &QTabWidget::currentChanged, this, [this] {
        if (bottom_->currentWidget() == data_) growBottom();
    });
}

void ComposePage::arrangeSides() {
    QDockWidget *left = docks_[0], *right = docks_[1];
    const bool isNarrow = width() < px(1100), isTabbed = tabifiedDockWidgets(left).contains(right);
    if (left->isHidden() || right->isHidden() || isNarrow == isTabbed) return;
    if (isNarrow) {
        tabifyDockWidget(left, right);
        left->raise();
    } else {
        addDockWidget(Qt::RightDockWidgetArea, right);
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
    QDockWidget* dock = docks_.back();
    const int wanted = std::min(px(220), height() / 2);
    if (dock->height() < wanted) resizeDocks({dock}, {wanted}, Qt::Vertical);
}

}  // namespace heddle::ui
