// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page.h"

#include "ui/pages/layout_box.h"
#include "ui/theme/type.h"
#include "ui/threads/time_slices.h"

#include <QAction>
#include <QDockWidget>
#include <QToolBar>

#include <utility>

namespace heddle::ui {

Page::Page(Studio& studio, PageId id, const QString& name) : studio_(studio), id_(id), name_(name) {
    setObjectName(name);
    setWindowFlags(Qt::Widget);  // a page is a part of the window, not one of its own
    setDockNestingEnabled(true);
    // Docks take the widths that the page gives them while it is built only if it is wide enough.
    resize(px(1376), px(840));
}

void Page::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (std::exchange(wasShown_, true)) return;
    QList<QWidget*> docks;  // after the middle
    for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) docks.append(dock);
    paintInSlices(this, docks);
}

QList<QAction*> Page::panelActions() const {
    QList<QAction*> actions;
    for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        actions << dock->toggleViewAction();
    return actions;
}

QAction* Page::viewAction(const QString& text, const QKeySequence& key, const std::function<void()>& run) {
    auto* action = new QAction(text, this);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, run);
    return action;
}

QDockWidget* Page::makeDock(const QString& name, const QString& title, QWidget* body) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(body);
    return dock;
}

void Page::addLayoutBox(QToolBar& bar) {
    auto* space = new QWidget(&bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar.addWidget(space);
    bar.addWidget(new LayoutBox(*this, studio_.settings(), &bar));
}

void Page::saveSession(QSettings& settings) const { settings.setValue(name_ + QStringLiteral("/layout"), arrangement()); }

void Page::restoreSession(QSettings& settings) { arrange(settings.value(name_ + QStringLiteral("/layout")).toByteArray()); }

void Page::resetLayout() {
    arrange(defaultLayout_);
    Q_EMIT layoutReset();
}

}  // namespace heddle::ui
