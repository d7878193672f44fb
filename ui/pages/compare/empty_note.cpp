// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/empty_note.h"

#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace heddle::ui {

EmptyNote::EmptyNote(QWidget* parent) : QWidget(parent), words_(new QLabel(this)), row_(new QHBoxLayout) {
    words_->setTextFormat(Qt::RichText);
    words_->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(24), px(24), px(24), px(24));
    column->setSpacing(px(8));
    column->addWidget(words_);
    column->addLayout(row_);
    column->addStretch();
    row_->addStretch();
}

void EmptyNote::setText(const QString& text) { words_->setText(text); }

void EmptyNote::showActions(const QList<QAction*>& actions) {
    if (actions == actions_) return;
    actions_ = actions;
    qDeleteAll(findChildren<QPushButton*>());
    for (int i = 0; i < int(actions.size()); ++i) {
        auto* button = new QPushButton(actions[i]->text(), this);
        if (i == 0) setControlRole(*button, ControlRole::Primary);
        connect(button, &QPushButton::clicked, actions[i], &QAction::trigger);
        row_->insertWidget(i, button);
    }
}

}  // namespace heddle::ui
