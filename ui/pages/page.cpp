// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page.h"

#include "ui/pages/layout_box.h"
#include "ui/panels/panel.h"
#include "ui/plot/curve_plot.h"
#include "ui/theme/type.h"
#include "ui/threads/query.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QTabBar>
#include <QTimer>
#include <QToolBar>

#include <algorithm>

namespace heddle::ui {

namespace {

constexpr QLatin1String kLayout("/layout"), kDocks("/docks");
/// The version of a stored arrangement tells whose the tabs of tabWhenNarrow() are. An arrangement under a name that was saved
/// while the page was narrow thus opens as tabs, which are taken apart where the page is wide; tabs of the user stay tabs.
constexpr int kTabsOfUser = 0, kTabsOfPage = 1;

int& sideOf(QSize& size, Qt::Orientation orientation) { return orientation == Qt::Horizontal ? size.rwidth() : size.rheight(); }

}  // namespace

Page::Page(Studio& studio, PageId id, const QString& name) : studio_(studio), id_(id), name_(name) {
    setObjectName(name);
    setWindowFlags(Qt::Widget);  // a page is a part of the window, not one of its own
    setDockNestingEnabled(true);
    // Docks take the widths that the page gives them while it is built only if it is wide enough.
    resize(px(1376), px(840));
}

QList<QAction*> Page::panelActions() const {
    QList<QAction*> actions;
    for (QDockWidget* dock : docks()) actions << dock->toggleViewAction();
    return actions;
}

bool Page::isSettled() const {
    const auto queries = findChildren<QueryBase*>();
    const auto plots = findChildren<CurvePlot*>();
    return std::all_of(queries.begin(), queries.end(), [](const QueryBase* query) { return query->isIdle(); }) &&
           std::all_of(plots.begin(), plots.end(), [](const CurvePlot* plot) { return plot->isSettled(); });
}

QList<QDockWidget*> Page::docks() const { return findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly); }

void Page::add(QList<QAction*>& menu, QAction* action, const QList<QWidget*>& places) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    menu.append(action);
    for (QWidget* place : places) place->addAction(action);
}

QAction* Page::add(QList<QAction*>& menu, const ActionInfo& info, const QList<QWidget*>& places,
                   const std::function<void()>& run) {
    QAction* action = makeAction(this, info, run);
    add(menu, action, places);
    return action;
}

void Page::addPlotActions(PanelGroup& panels) {
    const QList<QWidget*> plots = panels.plots();
    add(editActions_, {"copyPlot", tr("Copy plot"), {}, QKeySequence::Copy}, plots, [&panels] { panels.current()->copy(); });
    makeExport(*add(editActions_, {"exportPlot", tr("Export plot…")}, plots, [&panels] { panels.current()->exportAs(); }));
    add(viewActions_, {"tableOrChart", tr("Show table or chart"), {}, Qt::Key_T}, plots,
        [&panels] { panels.current()->toggleTable(); });
    add(viewActions_, {"fullSize", tr("Show in full size"), {}, Qt::Key_F}, plots, [&panels] { panels.toggleFullSize(); });
    QAction* leave = add(viewActions_, {"leaveFullSize", tr("Leave full size"), {}, Qt::Key_Escape}, plots,
                         [&panels] { panels.expand(nullptr); });
    leave->setEnabled(false);
    connect(&panels, &PanelGroup::expandedChanged, leave, [&panels, leave] { leave->setEnabled(panels.expanded()); });
}

void Page::makeExport(QAction& action) {
    action.setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
    action.setShortcutContext(Qt::WindowShortcut);
}

QDockWidget* Page::makeDock(const QString& name, const QString& title, QWidget* body) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->toggleViewAction()->setObjectName(name);
    dock->setWidget(body);
    return dock;
}

void Page::addLayoutBox(QToolBar& bar) {
    auto* space = new QWidget(&bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar.addWidget(space);
    bar.addWidget(new LayoutBox(*this, studio_.settings(), &bar));
}

void Page::saveSession(QSettings& settings) const {
    settings.setValue(name_ + kLayout, arrangement());
    QVariantMap sizes;
    for (const auto& [name, size] : setSizes_.asKeyValueRange()) sizes[name] = size;
    settings.setValue(name_ + kDocks, sizes);
    choices_.save(settings);
    for (const Panel* panel : findChildren<Panel*>()) panel->choices().save(settings);
}

void Page::restoreSession(QSettings& settings) {
    arrange(settings.value(name_ + kLayout).toByteArray());
    const QVariantMap sizes = settings.value(name_ + kDocks).toMap();
    for (const auto& [name, size] : sizes.asKeyValueRange()) setSizes_[name] = size.toSize();
    fitDocks();
    choices_.restore(settings);
    for (const Panel* panel : findChildren<Panel*>()) panel->choices().restore(settings);
}

void Page::saveDocuments(const QSettings&) const {}

void Page::rememberLayout() {
    defaultLayout_ = arrangement();
    defaultSizes_ = setSizes_;
}

void Page::resetLayout() {
    arrange(defaultLayout_);
    setSizes_ = defaultSizes_;
    fitDocks();
    Q_EMIT layoutReset();
}

QByteArray Page::arrangement() const { return saveState(areSidesTabbed_ ? kTabsOfPage : kTabsOfUser); }

void Page::arrange(const QByteArray& arrangement) {
    for (const int version : {kTabsOfUser, kTabsOfPage}) {
        if (!restoreState(arrangement, version)) continue;  // of the other version, or of another page
        areSidesTabbed_ = version == kTabsOfPage;
        if (isVisible()) setSizes_ = dockSizes();
        break;
    }
    arrangeSides();
}

void Page::tabWhenNarrow(QDockWidget* other, QDockWidget* side) {
    other_ = other;
    side_ = side;
    for (QDockWidget* dock : {other, side})  // queued: after the dock has its place
        connect(
            dock->toggleViewAction(), &QAction::toggled, this, [this, dock] { arrangeSides(dock); }, Qt::QueuedConnection);
}

void Page::arrangeSides(QDockWidget* front) {
    if (!side_ || other_->isHidden() || side_->isHidden()) return;
    if (other_->isFloating() || side_->isFloating()) {  // the user has taken one out of the page
        areSidesTabbed_ = false;
        return;
    }
    const bool isNarrow = width() < px(1100), isTabbed = tabifiedDockWidgets(other_).contains(side_);
    if (isNarrow ? isTabbed : !areSidesTabbed_) return;
    areSidesTabbed_ = isNarrow;
    if (isNarrow) {
        tabifyDockWidget(other_, side_);
        (front ? front : other_)->raise();
    } else if (isTabbed) {
        addDockWidget(Qt::RightDockWidgetArea, side_);
        fitDocks();
    }
}

Page::DockSizes Page::dockSizes() const {
    DockSizes sizes;
    for (const QDockWidget* dock : docks())
        if (dock->isVisible() && !dock->isFloating()) sizes[dock->objectName()] = dock->size();
    return sizes;
}

void Page::resizeDocks(const QList<QDockWidget*>& docks, const QList<int>& sizes, Qt::Orientation orientation) {
    for (qsizetype i = 0; i < docks.size(); ++i) sideOf(setSizes_[docks[i]->objectName()], orientation) = sizes[i];
    QMainWindow::resizeDocks(docks, sizes, orientation);
}

void Page::fitDocks() {
    for (const Qt::Orientation orientation : {Qt::Horizontal, Qt::Vertical}) {
        QList<QDockWidget*> fitted;
        QList<int> sizes;
        for (QDockWidget* dock : docks()) {
            QSize size = setSizes_.value(dock->objectName());
            if (sideOf(size, orientation) <= 0 || dock->isHidden() || dock->isFloating()) continue;
            fitted << dock;
            sizes << sideOf(size, orientation);
        }
        if (!fitted.isEmpty()) QMainWindow::resizeDocks(fitted, sizes, orientation);
    }
}

void Page::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    fitDocks();
    if (side_) QTimer::singleShot(0, this, [this] { arrangeSides(); });  // after the docks have moved
}

/// Stores the sizes that the user gives the docks by moving a separator, for which Qt has no signal.
/// Qt makes a bar of tabs where docks share a place.
void Page::childEvent(QChildEvent* event) {
    QMainWindow::childEvent(event);
    if (auto* tabs = qobject_cast<QTabBar*>(event->child()); tabs && event->type() == QEvent::ChildPolished)
        tabs->setAccessibleName(tr("Panels"));
}

bool Page::event(QEvent* event) {
    const bool done = QMainWindow::event(event);
    if (event->type() == QEvent::MouseButtonPress) pressedSizes_ = dockSizes();
    if (event->type() != QEvent::MouseButtonRelease) return done;
    const DockSizes released = dockSizes();
    for (const auto& [name, size] : released.asKeyValueRange()) {
        const QSize before = pressedSizes_.value(name, size);
        if (size.width() != before.width()) setSizes_[name].setWidth(size.width());
        if (size.height() != before.height()) setSizes_[name].setHeight(size.height());
    }
    return done;
}

}  // namespace heddle::ui
