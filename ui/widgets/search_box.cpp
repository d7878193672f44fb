// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/search_box.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAction>
#include <QPainter>
#include <QStyleOptionFrame>

namespace heddle::ui {
namespace {

constexpr int kEdge = 8, kIcon = 16, kGap = 6, kBetween = 24;

}  // namespace

SearchBox::SearchBox(QAction* find, QWidget* parent)
    : QAbstractButton(parent), keys_(find->shortcut().toString(QKeySequence::NativeText)) {
    setText(tr("Search commands, runs, blocks"));
    setAccessibleName(text());
    setToolTip(tr("Find commands, runs, blocks and help by name"));
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::clicked, find, &QAction::trigger);
}

QSize SearchBox::sizeHint() const {
    const QFont font = typeFont(Type::Caption);
    return {px(2 * kEdge + kIcon + kGap + kBetween) + textWidth(text(), font) + textWidth(keys_, font), px(18)};
}

void SearchBox::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QStyleOptionFrame frame;
    frame.initFrom(this);
    frame.lineWidth = 1;
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &frame, &painter, this);
    painter.drawPixmap(px(kEdge - 2), (height() - px(kIcon)) / 2,
                       iconPixmap(Icon::Search, Theme::color(Token::Text2), px(kIcon), devicePixelRatioF()));
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    const QRect words = rect().adjusted(px(kEdge + kIcon + kGap - 2), 0, -px(kEdge), 0);
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft, text());
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignRight, keys_);
}

}  // namespace heddle::ui
