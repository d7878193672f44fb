// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/page.h"

#include "ui/shell/type.h"

namespace heddle::ui {

Page::Page(Studio& studio, PageId id, const QString& name) : studio_(studio), id_(id), name_(name) {
    setObjectName(name);
    setWindowFlags(Qt::Widget);  // a page is a part of the window, not one of its own
    setDockNestingEnabled(true);
    // Docks take the widths that they are given while the page is built only if there is room for them.
    resize(px(1376), px(840));
}

void Page::saveSession(QSettings& settings) const { settings.setValue(name_ + QStringLiteral("/layout"), saveState()); }

void Page::restoreSession(QSettings& settings) {
    restoreState(settings.value(name_ + QStringLiteral("/layout")).toByteArray());
}

void Page::resetLayout() { restoreState(defaultLayout_); }

}  // namespace heddle::ui
