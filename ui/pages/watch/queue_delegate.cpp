// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/queue_delegate.h"

#include "ui/pages/watch/queue_model.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QMouseEvent>
#include <QPainter>

namespace heddle::ui::watch {
namespace {

struct QueueWords {
    QFont font;
    QColor color;
};

void draw(QPainter& painter, const QRect& rect, const QString& text, const QueueWords& words,
          Qt::Alignment side = Qt::AlignLeft) {
    painter.setFont(words.font);
    painter.setPen(words.color);
    painter.drawText(rect, int(side | Qt::AlignVCenter) | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

void drawHeader(QPainter& painter, const QRect& row, const QString& title) {
    painter.fillRect(row, Theme::color(Token::Chrome));
    painter.fillRect(QRect(row.left(), row.bottom(), row.width(), 1), Theme::color(Token::Line));
    draw(painter, row.adjusted(px(8), 0, -px(8), 0), title, {strongFont(Type::Caption), Theme::color(Token::Text2)});
}

bool hasBar(const QModelIndex& index) {
    const auto mark = Mark(index.data(QueueModel::MarkRole).toInt());
    return index.data(QueueModel::ProgressRole).isValid() && (mark == Mark::Running || mark == Mark::Stopping);
}

void drawButton(QPainter& painter, const QRect& rect, const QString& verb) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Theme::color(Token::Border));
    painter.setBrush(Theme::color(Token::Panel));
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), px(3), px(3));
    painter.setFont(typeFont(Type::Body));
    painter.setPen(Theme::color(Token::Text));
    painter.drawText(rect, Qt::AlignCenter, verb);
    painter.restore();
}

}  // namespace

QRect QueueDelegate::buttonRect(const QRect& row, const QString& verb) {
    if (verb.isEmpty()) return {};
    const int width = textWidth(verb, typeFont(Type::Body)) + px(16);
    return {row.right() - px(7) - width, row.bottom() - px(23), width, px(20)};
}

QSize QueueDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    if (index.data(QueueModel::HeaderRole).toBool()) return {px(120), px(22)};
    const bool hasVerb = !index.data(QueueModel::VerbRole).toString().isEmpty();
    return {px(120), hasBar(index) ? px(56) : hasVerb ? px(46) : px(40)};
}

void QueueDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QRect row = option.rect;
    const QString title = index.data().toString();
    if (index.data(QueueModel::HeaderRole).toBool()) return drawHeader(*painter, row, title);
    const bool chosen = option.state & QStyle::State_Selected, over = option.state & QStyle::State_MouseOver;
    painter->fillRect(row, Theme::color(chosen ? Token::Sel : over ? Token::Hover : Token::Base));
    painter->fillRect(QRect(row.left(), row.bottom(), row.width(), 1), Theme::color(Token::Line));
    const MarkLook mark = lookOf(Mark(index.data(QueueModel::MarkRole).toInt()));
    painter->drawPixmap(row.left() + px(8), row.top() + px(5),
                        iconPixmap(mark.icon, Theme::color(mark.color), px(16), painter->device()->devicePixelRatioF()));
    const QString verb = index.data(QueueModel::VerbRole).toString();
    const QRect button = buttonRect(row, verb);
    const int left = row.left() + px(30), right = verb.isEmpty() ? row.right() - px(8) : button.left() - px(6);
    const QColor strong = Theme::color(chosen ? Token::Onsel : Token::Text);
    const QColor weak = chosen ? strong : Theme::color(Token::Text2);
    const bool bar = hasBar(index);
    QRect first(left, row.top() + px(4), row.right() - px(8) - left, px(18));  // the name may be above the button
    if (bar) {
        const double share = index.data(QueueModel::ProgressRole).toDouble();
        //: A percentage.
        const QString percent = tr("%1 %").arg(number(100 * share, 1));
        draw(*painter, first, percent, {numberFont(Type::Body), strong}, Qt::AlignRight);
        first.setRight(first.right() - textWidth(percent, numberFont(Type::Body)) - px(6));
        paintProgress(*painter, QRect(left, row.top() + px(26), right - left, px(6)), share);
    }
    if (index.flags() & Qt::ItemIsDragEnabled) {
        const int side = px(14);
        first.setRight(first.right() - side - px(4));
        painter->drawPixmap(right - side, row.top() + px(6),
                            iconPixmap(Icon::Drag, weak, side, painter->device()->devicePixelRatioF()));
    }
    draw(*painter, first, title, {strongFont(Type::Body), strong});
    QRect second(left, row.bottom() - px(verb.isEmpty() ? 19 : 22), right - left, px(17));
    const QString rest = index.data(QueueModel::RightRole).toString();
    draw(*painter, second, rest, {numberFont(Type::Caption), weak}, Qt::AlignRight);
    if (!rest.isEmpty()) second.setRight(second.right() - textWidth(rest, numberFont(Type::Caption)) - px(6));
    draw(*painter, second, index.data(QueueModel::DetailRole).toString(), {numberFont(Type::Caption), weak});
    if (!verb.isEmpty()) drawButton(*painter, button, verb);
}

bool QueueDelegate::editorEvent(QEvent* event, QAbstractItemModel*, const QStyleOptionViewItem& option,
                                const QModelIndex& index) {
    if (event->type() != QEvent::MouseButtonRelease && event->type() != QEvent::MouseButtonPress) return false;
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QString run = index.data(QueueModel::RunRole).toString(), verb = index.data(QueueModel::VerbRole).toString();
    if (!buttonRect(option.rect, verb).contains(mouse->pos())) return false;
    if (event->type() == QEvent::MouseButtonPress)
        pressed_ = {run, verb};
    else if (std::exchange(pressed_, {}) == std::pair(run, verb))  // not a verb that appeared after the press
        Q_EMIT verbClicked(run);
    return true;
}

}  // namespace heddle::ui::watch
