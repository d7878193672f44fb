// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/choice_row.h"

#include "ui/theme/style_paint.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyleOption>

namespace heddle::ui {

ChoiceRow::ChoiceRow(QWidget* parent) : QAbstractButton(parent) {
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ChoiceRow::setWords(const Words& words) {
    words_ = words;
    setToolTip(words.summary);
    setAccessibleName(QStringLiteral("%1, %2").arg(words.name, words.count));
    setAccessibleDescription(words.summary);
    update();
}

QSize ChoiceRow::sizeHint() const {
    return {px(300), QFontMetrics(strongFont(Type::Body)).height() + QFontMetrics(typeFont(Type::Caption)).height() + px(8)};
}

void ChoiceRow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
    QAbstractButton::keyPressEvent(event);
}

void ChoiceRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const bool on = isChecked();
    painter.fillRect(rect(), Theme::color(on ? Token::Sel : underMouse() ? Token::Hover : Token::Base));
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::color(Token::Line));
    QStyleOption radio;
    radio.rect = QRect(px(10), px(5), px(14), px(14));
    radio.state = QStyle::State_Enabled | (on ? QStyle::State_On : QStyle::State_Off);
    paint::radioButton(painter, radio);
    const int left = px(32), right = width() - px(10);
    const int first = QFontMetrics(strongFont(Type::Body)).height(), second = height() - first - px(6);
    const auto line = [&](int top, int high, const QFont& font, const QColor& color, std::pair<QString, QString> words) {
        painter.setPen(color);
        painter.setFont(numberFont(font.pixelSize() < strongFont(Type::Body).pixelSize() ? Type::Caption : Type::Body));
        painter.drawText(QRect(left, top, right - left, high), Qt::AlignRight | Qt::AlignVCenter, words.second);
        const int taken = words.second.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(words.second) + px(10);
        painter.setFont(font);
        painter.drawText(QRect(left, top, right - left - taken, high), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words.first, Qt::ElideRight, right - left - taken));
    };
    line(px(3), first, strongFont(Type::Body), Theme::color(on ? Token::Onsel : Token::Text), {words_.name, words_.count});
    line(px(3) + first, second, typeFont(Type::Caption), Theme::color(on ? Token::Onsel : Token::Text2),
         {words_.summary, words_.change});
}

}  // namespace heddle::ui
