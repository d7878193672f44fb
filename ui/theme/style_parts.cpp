// SPDX-License-Identifier: GPL-3.0-or-later
// HeddleStyle: the rectangles of parts, and primitive elements.
#include "ui/theme/style.h"
#include "ui/theme/style_paint.h"
#include "ui/theme/type.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QToolButton>

namespace heddle::ui {
namespace {

void itemBackground(QPainter& painter, const QStyleOptionViewItem& item) {
    if (item.backgroundBrush.style() != Qt::NoBrush) painter.fillRect(item.rect, item.backgroundBrush);
    if (has(item, QStyle::State_Selected))
        painter.fillRect(item.rect, Theme::color(Token::Sel));
    else if (has(item, QStyle::State_MouseOver) && has(item, QStyle::State_Enabled))
        painter.fillRect(item.rect, Theme::color(Token::Hover));
}

void branch(QPainter& painter, const QStyleOption& option) {
    if (!has(option, QStyle::State_Children)) return;
    const bool open = has(option, QStyle::State_Open);
    paint::glyph(painter, option.rect, open ? Icon::ChevronDown : Icon::ChevronRight, Theme::color(Token::Text2), px(16));
}

}  // namespace

QRect HeddleStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                  const QWidget* widget) const {
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (!bar) return {};
        const bool flat = bar->orientation == Qt::Horizontal;
        const int length = flat ? bar->rect.width() : bar->rect.height();
        const qint64 range = qint64(bar->maximum) - bar->minimum;
        const int thumb =
            range <= 0
                ? length
                : int(std::max<qint64>(std::min(length, px(24)), qint64(length) * bar->pageStep / (range + bar->pageStep)));
        const int start =
            sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - thumb, bar->upsideDown);
        const auto span = [&](int from, int size) {
            return visualRect(bar->direction, bar->rect,
                              flat ? QRect(from, 0, size, bar->rect.height()) : QRect(0, from, bar->rect.width(), size));
        };
        switch (part) {
        case SC_ScrollBarGroove: return bar->rect;
        case SC_ScrollBarSlider: return span(start, thumb);
        case SC_ScrollBarSubPage: return span(0, start);
        case SC_ScrollBarAddPage: return span(start + thumb, length - start - thumb);
        default: return {};  // no arrow buttons
        }
    }
    if (control == CC_ComboBox) {
        const QRect rect = option->rect;
        switch (part) {
        case SC_ComboBoxEditField: return visualRect(option->direction, rect, rect.adjusted(px(8), 1, -px(22), -1));
        case SC_ComboBoxArrow:
            return visualRect(option->direction, rect, QRect(rect.right() - px(21), rect.top(), px(20), rect.height()));
        default: break;
        }
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QRect HeddleStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    if (element == SE_LineEditContents && option && qstyleoption_cast<const QStyleOptionFrame*>(option)) {
        const bool frame = static_cast<const QStyleOptionFrame*>(option)->lineWidth > 0;
        return frame ? option->rect.adjusted(px(4), 1, -px(4), -1) : option->rect;
    }
    if (element == SE_HeaderArrow) {
        const QRect rect = option->rect;
        return {rect.right() - px(14), rect.center().y() - px(5), px(10), px(10)};
    }
    if (element == SE_HeaderLabel && option) {  // Qt's margin above and below would cut off descenders
        QRect rect = QProxyStyle::subElementRect(element, option, widget);
        rect.setTop(option->rect.top());
        rect.setBottom(option->rect.bottom());
        return rect;
    }
    return QProxyStyle::subElementRect(element, option, widget);
}

void HeddleStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
    const auto line = [] { return Theme::color(Token::Line); };
    const auto arrow = [painter](const QRect& rect, Icon icon) {
        paint::glyph(*painter, rect, icon, Theme::color(Token::Text2), px(12));
    };
    switch (element) {
    case PE_PanelButtonCommand: return paint::button(*painter, *option, widget);
    case PE_PanelButtonTool:
    case PE_FrameButtonTool: return paint::toolButton(*painter, *option, widget);
    case PE_FrameDefaultButton: return;
    case PE_PanelLineEdit: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame && frame->lineWidth > 0) paint::field(*painter, *option, widget);
        return;
    }
    case PE_FrameLineEdit: return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck: return paint::checkBox(*painter, *option);
    case PE_IndicatorRadioButton: return paint::radioButton(*painter, *option);
    case PE_IndicatorBranch: return branch(*painter, *option);
    case PE_IndicatorHeaderArrow: {
        const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
        if (!header || header->sortIndicator == QStyleOptionHeader::None) return;
        // Qt's SortUp is the arrow of a descending column.
        const bool down = header->sortIndicator == QStyleOptionHeader::SortUp;
        return arrow(option->rect, down ? Icon::SortDown : Icon::SortUp);
    }
    case PE_IndicatorArrowDown:
        if (const auto* tool = qobject_cast<const QToolButton*>(widget);
            tool && tool->popupMode() == QToolButton::InstantPopup) {
            const QRect right(tool->width() - px(18), 0, px(16), tool->height());  // Fusion draws it into the lower corner
            return arrow(right, Icon::ChevronDown);
        }
        return arrow(option->rect, Icon::ChevronDown);
    case PE_IndicatorArrowUp: return arrow(option->rect, Icon::ChevronUp);
    case PE_IndicatorArrowRight: return arrow(option->rect, Icon::ChevronRight);
    case PE_IndicatorArrowLeft: return arrow(option->rect, Icon::ChevronLeft);
    case PE_IndicatorToolBarSeparator: {
        const QRect r = option->rect;
        const bool upright = has(*option, State_Horizontal);
        if (upright)
            painter->fillRect(QRect(r.center().x(), r.top() + px(6), 1, r.height() - px(12)), line());
        else
            painter->fillRect(QRect(r.left() + px(6), r.center().y(), r.width() - px(12), 1), line());
        return;
    }
    case PE_PanelItemViewItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) itemBackground(*painter, *item);
        return;
    case PE_FrameFocusRect:  // the current cell of a view, the tab with the keyboard; controls have the ring
        if (has(*option, State_KeyboardFocusChange) || qobject_cast<const QAbstractItemView*>(widget))
            paint::frame(*painter, option->rect, Theme::color(Token::Accent));
        return;
    case PE_Frame: return paint::frame(*painter, option->rect, line());
    case PE_FrameGroupBox:
    case PE_FrameStatusBarItem:
    case PE_FrameDockWidget: return;
    case PE_FrameTabBarBase: {
        painter->fillRect(option->rect, Theme::color(Token::Window));
        return paint::edgeLine(*painter, option->rect, paint::Edge::Bottom, line());
    }
    case PE_FrameTabWidget: return painter->fillRect(option->rect, Theme::color(Token::Base));
    case PE_PanelMenu:
    case PE_PanelTipLabel: painter->fillRect(option->rect, Theme::color(Token::Panel)); [[fallthrough]];
    case PE_FrameMenu:
    case PE_FrameWindow: return paint::frame(*painter, option->rect, Theme::color(Token::Border));
    case PE_PanelMenuBar:
    case PE_PanelStatusBar: return painter->fillRect(option->rect, Theme::color(Token::Window));
    case PE_PanelToolBar: return painter->fillRect(option->rect, Theme::color(Token::Chrome));
    default: return QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

}  // namespace heddle::ui
