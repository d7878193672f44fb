// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/panel_title.h"

#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace heddle::ui {

PanelTitle::PanelTitle(const QString& title, QWidget* parent)
    : QWidget(parent), title_(new QLabel(title, this)), note_(new ElidedLabel(this)), row_(new QHBoxLayout(this)) {
    setFixedHeight(px(26));
    title_->setFont(strongFont(Type::Section));
    title_->setTextFormat(Qt::PlainText);
    note_->setTextFormat(Qt::PlainText);
    setCaption(*note_);
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row_->setContentsMargins(px(8), 0, px(6), 0);
    row_->setSpacing(px(8));
    row_->addWidget(title_);
    row_->addWidget(note_, 1);
}

QSize PanelTitle::sizeHint() const { return {QWidget::sizeHint().width(), px(26)}; }

void PanelTitle::setTitle(const QString& title) { title_->setText(title); }

QString PanelTitle::title() const { return title_->text(); }

QString PanelTitle::note() const { return note_->text(); }

void PanelTitle::setNote(const QString& note, const QString& tip) {
    note_->setText(note);
    note_->setToolTip(tip.isEmpty() ? note : tip);
}

void PanelTitle::add(QWidget* control) { row_->addWidget(control); }

void PanelTitle::addBeforeNote(QWidget* choice) { row_->insertWidget(row_->indexOf(note_), choice); }

void PanelTitle::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Chrome));
    painter.fillRect(0, height() - 1, width(), 1, Theme::color(Token::Line));
}

void PanelTitle::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) setFixedHeight(px(26));
    QWidget::changeEvent(event);
}

}  // namespace heddle::ui
