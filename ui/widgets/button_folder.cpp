// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/button_folder.h"

#include <QEvent>
#include <QToolBar>
#include <QToolButton>

namespace heddle::ui {

ButtonFolder::ButtonFolder(QToolBar& bar, const std::vector<QAbstractButton*>& buttons) : QObject(&bar), bar_(bar) {
    for (QAbstractButton* button : buttons) {
        button->setAccessibleName(button->text());
        buttons_.push_back({button, button->text()});
    }
    bar.installEventFilter(this);
}

bool ButtonFolder::eventFilter(QObject*, QEvent* event) {
    if (event->type() == QEvent::Resize) fit();
    return false;
}

void ButtonFolder::fit() {
    const bool isNarrow = bar_.sizeHint().width() + saved_ > bar_.width();
    if (isNarrow == isFolded()) return;
    int saved = 0;
    for (const Folding& folding : buttons_) {
        const int before = folding.button->sizeHint().width();
        if (auto* tool = qobject_cast<QToolButton*>(folding.button))  // its words are its action's
            tool->setToolButtonStyle(isNarrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
        else
            folding.button->setText(isNarrow ? QString() : folding.words);
        saved += before - folding.button->sizeHint().width();
    }
    saved_ = isNarrow ? saved : 0;
}

}  // namespace heddle::ui
