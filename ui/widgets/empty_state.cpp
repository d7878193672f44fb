// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include "ui/theme/type.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace heddle::ui {

EmptyState::EmptyState(QWidget* parent, Size size)
    : QWidget(parent), size_(size), title_(new QLabel(this)), text_(new QLabel(this)) {
    const bool isPage = size == Size::Page;
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(isPage);
    title_->setFont(strongFont(isPage ? Type::KeyFigure : Type::Body));
    text_->setForegroundRole(QPalette::PlaceholderText);
    text_->setWordWrap(true);
    for (QLabel* label : {title_, text_}) label->setTextFormat(Qt::PlainText);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(24), px(24), px(24), px(24));
    column->setSpacing(px(isPage ? 8 : 4));
    column->addWidget(title_);
    column->addWidget(text_);
    column->addStretch();
}

void EmptyState::setWords(const QString& title, const QString& text) {
    title_->setText(title);
    text_->setText(text);
    title_->setHidden(title.isEmpty());
}

QPushButton* EmptyState::addButton(const char* name, const QString& text) {
    if (!buttons_) {
        buttons_ = new QHBoxLayout;
        buttons_->setContentsMargins(0, px(4), 0, 0);
        buttons_->addStretch();
        qobject_cast<QVBoxLayout*>(layout())->insertLayout(2, buttons_);
    }
    auto* button = new QPushButton(text, this);
    button->setObjectName(QString::fromLatin1(name));
    buttons_->insertWidget(buttons_->count() - 1, button);
    return button;
}

/// A low page shows text and buttons in full: with wider lines and smaller margins.
void EmptyState::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (size_ == Size::Panel) return;
    const bool isLow = height() < px(300);
    layout()->setContentsMargins(px(isLow ? 24 : 48), px(isLow ? 12 : 64), px(isLow ? 24 : 48), px(isLow ? 12 : 48));
    text_->setMaximumWidth(px(isLow ? 720 : 460));
}

}  // namespace heddle::ui
