// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style_paint.h"

#include "ui/theme/icons.h"
#include "ui/theme/type.h"

#include <QPainter>
#include <QPainterPath>

namespace heddle::ui::paint {
namespace {

constexpr qreal kRadius = 3;

QPainterPath outline(const QRectF& r, Corners corners) {
    QPainterPath path;
    if (corners == Corners::All) {
        path.addRoundedRect(r, kRadius, kRadius);
        return path;
    }
    if (corners == Corners::None) {
        path.addRect(r);
        return path;
    }
    QPainterPath square;
    path.setFillRule(Qt::WindingFill);
    path.addRoundedRect(r, kRadius, kRadius);
    square.addRect(corners == Corners::Left ? r.adjusted(kRadius, 0, 0, 0) : r.adjusted(0, 0, -kRadius, 0));
    return path.united(square);
}

Corners cornersOf(ControlRole role) {
    switch (role) {
    case ControlRole::GroupFirst: return Corners::Left;
    case ControlRole::GroupMiddle: return Corners::None;
    case ControlRole::GroupLast: return Corners::Right;
    default: return Corners::All;
    }
}

bool isPrimary(const QStyleOption& option, const QWidget* widget) {
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(&option);
    return controlRole(widget) == ControlRole::Primary || (button && (button->features & QStyleOptionButton::DefaultButton));
}

void roundBar(QPainter& painter, const QRectF& rect, const QColor& color) {
    const qreal radius = std::min(rect.width(), rect.height()) / 2;
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(rect, radius, radius);
}

bool isPressed(const QStyleOption& option) { return has(option, QStyle::State_Sunken); }
bool isHovered(const QStyleOption& option) { return has(option, QStyle::State_MouseOver); }

}  // namespace

void box(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& edge, Corners corners) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, corners != Corners::None);
    painter.setBrush(fill);
    painter.setPen(edge);
    painter.drawPath(outline(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), corners));
    painter.restore();
}

void frame(QPainter& painter, const QRect& rect, const QColor& edge) {
    painter.setPen(edge);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
}

void chrome(QPainter& painter, const QRect& rect) {
    painter.fillRect(rect, Theme::color(Token::Chrome));
    edgeLine(painter, rect, Edge::Bottom, Theme::color(Token::Line));
}

void edgeLine(QPainter& painter, const QRect& rect, Edge edge, const QColor& color) {
    switch (edge) {
    case Edge::Left: return painter.fillRect(QRect(rect.left(), rect.top(), 1, rect.height()), color);
    case Edge::Right: return painter.fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), color);
    case Edge::Bottom: return painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), color);
    }
}

void glyph(QPainter& painter, const QRect& rect, Icon id, const QColor& color, int side) {
    const QPixmap picture = iconPixmap(id, color, side, painter.device()->devicePixelRatioF());
    painter.drawPixmap(rect.left() + (rect.width() - side) / 2, rect.top() + (rect.height() - side) / 2, picture);
}

QColor buttonText(const QStyleOption& option, const QWidget* widget) {
    if (!has(option, QStyle::State_Enabled)) return Theme::color(Token::Disabled);
    if (isPrimary(option, widget)) return Theme::color(Token::Onaccent);
    return Theme::color(has(option, QStyle::State_On) ? Token::Onsel : Token::Text);
}

void button(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const bool enabled = has(option, QStyle::State_Enabled);
    QColor fill = Theme::color(Token::Panel), edge = Theme::color(enabled ? Token::Border : Token::Line);
    if (isPrimary(option, widget) && enabled) {
        const double dim = isPressed(option) ? 0.2 : isHovered(option) ? 0.1 : 0;
        fill = edge = mix(Theme::color(Token::Accent), Theme::color(Token::Text), dim);
    } else if (has(option, QStyle::State_On)) {
        fill = Theme::color(enabled ? Token::Sel : Token::Panel);
        edge = Theme::color(enabled ? Token::Accent : Token::Line);
    } else if (enabled && isPressed(option)) {
        fill = Theme::color(Token::Line);
    } else if (enabled && isHovered(option)) {
        fill = Theme::color(Token::Hover);
    }
    QRect rect = option.rect;
    const ControlRole role = controlRole(widget);
    if (role == ControlRole::GroupMiddle || role == ControlRole::GroupLast) rect.setLeft(rect.left() - 1);  // one shared edge
    box(painter, rect, fill, edge, cornersOf(role));
}

void buttonLabel(QPainter& painter, const QStyleOptionButton& option, const QWidget* widget) {
    const int icon = option.icon.isNull() ? 0 : option.iconSize.width();
    const int gap = icon > 0 && !option.text.isEmpty() ? px(6) : 0;
    const int words = painter.fontMetrics().size(Qt::TextShowMnemonic, option.text).width();
    const int width = std::min(option.rect.width(), icon + gap + words);
    int x = option.rect.left() + (option.rect.width() - width) / 2;
    if (icon > 0) {
        const QRect place = QStyle::visualRect(option.direction, option.rect,
                                               QRect(x, option.rect.top() + (option.rect.height() - icon) / 2, icon, icon));
        const bool on = has(option, QStyle::State_On);
        option.icon.paint(&painter, place, Qt::AlignCenter,
                          has(option, QStyle::State_Enabled) ? QIcon::Normal : QIcon::Disabled, on ? QIcon::On : QIcon::Off);
        x += icon + gap;
    }
    painter.setPen(buttonText(option, widget));
    const QRect line = QStyle::visualRect(option.direction, option.rect,
                                          QRect(x, option.rect.top(), width - icon - gap + 2, option.rect.height()));
    const QString text =
        icon + gap + words <= option.rect.width()
            ? option.text
            : painter.fontMetrics().elidedText(option.text, Qt::ElideRight, line.width(), Qt::TextShowMnemonic);
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine | Qt::TextHideMnemonic, text);
}

void toolButton(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const bool enabled = has(option, QStyle::State_Enabled), on = has(option, QStyle::State_On);
    if (controlRole(widget) == ControlRole::Rail) {
        if (on) {
            painter.fillRect(option.rect, Theme::color(Token::Base));
            painter.fillRect(QRect(option.rect.left(), option.rect.top(), px(3), option.rect.height()),
                             Theme::color(Token::Accent));
        } else if (enabled && isHovered(option)) {
            painter.fillRect(option.rect, Theme::color(Token::Hover));
        }
        return;
    }
    if (!has(option, QStyle::State_AutoRaise)) return button(painter, option, widget);
    if (on) return box(painter, option.rect, Theme::color(Token::Sel), Theme::color(Token::Accent));
    if (!enabled) return;
    if (isPressed(option))
        box(painter, option.rect, Theme::color(Token::Line), Theme::color(Token::Line));
    else if (isHovered(option))
        box(painter, option.rect, Theme::color(Token::Hover), Theme::color(Token::Hover));
}

void field(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const bool enabled = has(option, QStyle::State_Enabled), wrong = hasFieldProblem(widget);
    box(painter, option.rect, Theme::color(enabled ? Token::Base : Token::Panel),
        Theme::color(!enabled ? Token::Line
                     : wrong  ? Token::Bad
                              : Token::Border));
}

void checkBox(QPainter& painter, const QStyleOption& option) {
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool some = has(option, QStyle::State_NoChange), on = has(option, QStyle::State_On);
    const int side = std::min(option.rect.width(), option.rect.height());
    const QRect square(option.rect.left() + (option.rect.width() - side) / 2,
                       option.rect.top() + (option.rect.height() - side) / 2, side, side);
    if (!on && !some) {
        return box(painter, square,
                   Theme::color(!enabled            ? Token::Panel
                                : isHovered(option) ? Token::Hover
                                                    : Token::Base),
                   Theme::color(enabled ? Token::Border : Token::Line));
    }
    box(painter, square, Theme::color(enabled ? Token::Accent : Token::Line),
        Theme::color(enabled ? Token::Accent : Token::Disabled));
    glyph(painter, square, some ? Icon::Minus : Icon::Check, Theme::color(enabled ? Token::Onaccent : Token::Disabled),
          std::max(8, side - 2));
}

void radioButton(QPainter& painter, const QStyleOption& option) {
    const bool enabled = has(option, QStyle::State_Enabled), on = has(option, QStyle::State_On);
    const QRectF round = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Theme::color(!enabled ? Token::Line : on ? Token::Accent : Token::Border));
    painter.setBrush(Theme::color(!enabled ? Token::Panel : isHovered(option) && !on ? Token::Hover : Token::Base));
    painter.drawEllipse(round);
    if (on) {
        const qreal inset = round.width() * 0.24;
        painter.setPen(Qt::NoPen);
        painter.setBrush(Theme::color(enabled ? Token::Accent : Token::Disabled));
        painter.drawEllipse(round.adjusted(inset, inset, -inset, -inset));
    }
    painter.restore();
}

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
