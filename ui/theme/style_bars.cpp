// SPDX-License-Identifier: GPL-3.0-or-later
// Sliders, scroll bars, tabs, header sections, progress.
#include "ui/theme/style_paint.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui::paint {
namespace {

void roundBar(QPainter& painter, const QRectF& rect, const QColor& color) {
    const qreal radius = std::min(rect.width(), rect.height()) / 2;
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(rect, radius, radius);
}

}  // namespace

void slider(QPainter& painter, const QStyleOptionSlider& option, const QRect& groove, const QRect& handle) {
    const bool enabled = has(option, QStyle::State_Enabled), flat = option.orientation == Qt::Horizontal;
    const qreal thick = px(4);
    const QPointF knob = QRectF(handle).center();
    QRectF whole(groove), filled;
    if (flat) {
        whole = QRectF(groove.left(), knob.y() - thick / 2, groove.width(), thick);
        filled = option.upsideDown ? QRectF(knob.x(), whole.top(), whole.right() - knob.x(), thick)
                                   : QRectF(whole.left(), whole.top(), knob.x() - whole.left(), thick);
    } else {
        whole = QRectF(knob.x() - thick / 2, groove.top(), thick, groove.height());
        filled = option.upsideDown ? QRectF(whole.left(), knob.y(), thick, whole.bottom() - knob.y())
                                   : QRectF(whole.left(), whole.top(), thick, knob.y() - whole.top());
    }
    const QColor color = Theme::color(enabled ? Token::Accent : Token::Disabled);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    roundBar(painter, whole, Theme::color(Token::Line));
    roundBar(painter, filled, color);
    const qreal radius = px(13) / 2.0 - 1;
    painter.setPen(QPen(color, 2));
    painter.setBrush(Theme::color(has(option, QStyle::State_Sunken) ? Token::Sel : Token::Base));
    painter.drawEllipse(knob, radius, radius);
    painter.restore();
}

void scrollBar(QPainter& painter, const QStyleOptionSlider& option, const QRect& thumb) {
    painter.fillRect(option.rect, Theme::color(Token::Panel));
    if (option.minimum >= option.maximum) return;
    const bool active = has(option, QStyle::State_MouseOver) || has(option, QStyle::State_Sunken);
    const qreal inset = px(2);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    roundBar(painter, QRectF(thumb).adjusted(inset, inset, -inset, -inset),
             Theme::color(active ? Token::Text2 : Token::Border));
    painter.restore();
}

void tab(QPainter& painter, const QStyleOptionTab& option) {
    const bool current = has(option, QStyle::State_Selected), hovered = has(option, QStyle::State_MouseOver);
    const QColor line = Theme::color(Token::Line);
    painter.fillRect(option.rect, Theme::color(current ? Token::Base : hovered ? Token::Hover : Token::Window));
    if (!current) return edgeLine(painter, option.rect, Edge::Bottom, line);
    edgeLine(painter, option.rect, Edge::Left, line);
    edgeLine(painter, option.rect, Edge::Right, line);
    painter.fillRect(QRect(option.rect.left(), option.rect.top(), option.rect.width(), px(2)), Theme::color(Token::Accent));
}

void headerSection(QPainter& painter, const QStyleOptionHeader& option) {
    const bool pressed = has(option, QStyle::State_Sunken), hovered = has(option, QStyle::State_MouseOver);
    const QColor line = Theme::color(Token::Line);
    painter.fillRect(option.rect, pressed ? line : Theme::color(hovered ? Token::Hover : Token::Chrome));
    edgeLine(painter, option.rect, Edge::Bottom, line);
    edgeLine(painter, option.rect, Edge::Right, line);
}

void progress(QPainter& painter, const QStyleOptionProgressBar& option) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const qreal thick = std::min<qreal>(px(6), option.rect.height());
    const QRectF whole(option.rect.left(), option.rect.center().y() + 0.5 - thick / 2, option.rect.width(), thick);
    roundBar(painter, whole, Theme::color(Token::Line));
    const double range = double(option.maximum) - option.minimum;
    const double share = range > 0 ? std::clamp((option.progress - option.minimum) / range, 0.0, 1.0) : 0;
    if (share > 0) {
        painter.setClipRect(QRectF(whole.left(), whole.top(), whole.width() * share, thick));
        roundBar(painter, whole, Theme::color(Token::Run));
    }
    painter.restore();
}

}  // namespace heddle::ui::paint
