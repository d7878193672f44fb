// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/draft_button.h"

#include "ui/theme/style_paint.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>
#include <QStyleOptionButton>

namespace heddle::ui {

DraftButton::DraftButton(QWidget* parent) : QPushButton(parent) {
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
}

void DraftButton::setWords(const QString& name, const QString& state) {
    name_ = name;
    state_ = state;
    setToolTip(state.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, state));
    setAccessibleDescription(toolTip());
    update();
}

QSize DraftButton::sizeHint() const { return {px(206), QPushButton::sizeHint().height()}; }

void DraftButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.features &= ~QStyleOptionButton::HasMenu;
    style()->drawPrimitive(QStyle::PE_PanelButtonCommand, &option, &painter, this);
    const int side = px(16);
    paint::glyph(painter, QRect(px(7), 0, side, height()), Icon::File, Theme::color(Token::Text), side);
    paint::glyph(painter, QRect(width() - side - px(6), 0, side, height()), Icon::ChevronDown, Theme::color(Token::Text2),
                 px(12));
    QRect line(px(28), 0, width() - px(28) - side - px(10), height());
    painter.setFont(strongFont(Type::Body));
    painter.setPen(Theme::color(isEnabled() ? Token::Text : Token::Disabled));
    const QString name = painter.fontMetrics().elidedText(name_, Qt::ElideRight, line.width());
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, name);
    line.setLeft(line.left() + painter.fontMetrics().horizontalAdvance(name) + px(8));
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(state_, Qt::ElideRight, line.width()));
}

}  // namespace heddle::ui
