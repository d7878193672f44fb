// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/page.h"

#include "ui/shell/type.h"

#include <QDockWidget>
#include <QTimer>

#include <utility>

namespace heddle::ui {
namespace {

constexpr int kPartMs = 8;  // an update that was asked for is painted after 5

}  // namespace

Page::Page(Studio& studio, PageId id, const QString& name) : studio_(studio), id_(id), name_(name) {
    setObjectName(name);
    setWindowFlags(Qt::Widget);  // a page is a part of the window, not one of its own
    setDockNestingEnabled(true);
    // Docks take the widths that they are given while the page is built only if there is room for them.
    resize(px(1376), px(840));
}

/// The first time the middle and every dock are painted in a turn of their own: fonts, icons and formatted texts are found and
/// laid out when they are first painted, and all of a page at once would keep the window from answering for several frames.
void Page::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (std::exchange(wasShown_, true)) return;
    unpainted_.append(centralWidget());
    for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) unpainted_.append(dock);
    for (const auto& part : unpainted_)
        if (part) part->setUpdatesEnabled(false);
    paintParts();
}

void Page::paintParts() {
    if (unpainted_.isEmpty()) return;
    if (QWidget* part = unpainted_.takeFirst()) part->setUpdatesEnabled(true);
    QTimer::singleShot(kPartMs, this, &Page::paintParts);
}

void Page::saveSession(QSettings& settings) const { settings.setValue(name_ + QStringLiteral("/layout"), arrangement()); }

void Page::restoreSession(QSettings& settings) { arrange(settings.value(name_ + QStringLiteral("/layout")).toByteArray()); }

void Page::resetLayout() {
    arrange(defaultLayout_);
    Q_EMIT layoutReset();
}

}  // namespace heddle::ui
