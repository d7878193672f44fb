// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tool_bar_compactor.h"

#include <QEvent>
#include <QToolBar>
#include <QToolButton>

#include <utility>

namespace heddle::ui {

ToolBarCompactor::ToolBarCompactor(QToolBar& bar, std::vector<QToolButton*> buttons)
    : QObject(&bar), bar_(bar), buttons_(std::move(buttons)) {
    for (QToolButton* button : buttons_) button->setAccessibleName(button->text());
    bar.installEventFilter(this);
}

bool ToolBarCompactor::eventFilter(QObject*, QEvent* event) {
    if (event->type() == QEvent::Resize) fit();
    return false;
}

void ToolBarCompactor::fit() {
    const bool isNarrow = bar_.sizeHint().width() + saved_ > bar_.width();
    if (isNarrow == isCompact()) return;
    int saved = 0;
    for (QToolButton* button : buttons_) {
        const int before = button->sizeHint().width();
        button->setToolButtonStyle(isNarrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
        saved += before - button->sizeHint().width();
    }
    saved_ = isNarrow ? saved : 0;
}

}  // namespace heddle::ui
