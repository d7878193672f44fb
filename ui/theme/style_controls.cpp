// SPDX-License-Identifier: GPL-3.0-or-later
// HeddleStyle: controls, drawn with the functions of style_paint.h.
#include "ui/theme/style.h"
#include "ui/theme/style_paint.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui {
namespace {

void dockTitle(QPainter& painter, const QStyleOptionDockWidget& dock, const QRect& textRect) {
    paint::chrome(painter, dock.rect);
    painter.setPen(Theme::color(Token::Text));
    painter.setFont(strongFont(Type::Body));
    const QString title = painter.fontMetrics().elidedText(dock.title, Qt::ElideRight, textRect.width() - px(8));
    painter.drawText(textRect.adjusted(px(4), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, title);
}

void menuBarItem(QPainter& painter, const QStyleOptionMenuItem& item) {
    const bool open = has(item, QStyle::State_Selected) && has(item, QStyle::State_Enabled);
    painter.fillRect(item.rect, Theme::color(open ? Token::Hover : Token::Window));
    painter.setPen(Theme::color(has(item, QStyle::State_Enabled) ? Token::Text : Token::Disabled));
    painter.drawText(item.rect, Qt::AlignCenter | Qt::TextHideMnemonic | Qt::TextSingleLine, item.text);
}

/// The label of a rail entry: icon over caption.
void railLabel(QPainter& painter, const QStyleOptionToolButton& tool) {
    const bool on = has(tool, QStyle::State_On);
    const QRect top(tool.rect.left(), tool.rect.top() + px(7), tool.rect.width(), px(20));
    tool.icon.paint(&painter, QRect(top.center().x() - px(10) + 1, top.top(), px(20), px(20)), Qt::AlignCenter,
                    has(tool, QStyle::State_Enabled) ? QIcon::Normal : QIcon::Disabled, on ? QIcon::On : QIcon::Off);
    painter.setPen(Theme::color(!has(tool, QStyle::State_Enabled) ? Token::Disabled : on ? Token::Text : Token::Text2));
    painter.setFont(typeFont(Type::Body));
    const QRect caption(tool.rect.left(), top.bottom() + px(2), tool.rect.width(), tool.rect.bottom() - top.bottom() - px(4));
    painter.drawText(
        caption, Qt::AlignCenter | Qt::TextHideMnemonic,
        painter.fontMetrics().elidedText(tool.text, Qt::ElideRight, caption.width() - px(4), Qt::TextShowMnemonic));
}

/// Draws a header in the rectangles of this style. Qt would use those of the base style, whose margins cut off descenders.
void drawHeader(const HeddleStyle& style, const QStyleOptionHeader& header, QPainter& painter, const QWidget* widget) {
    painter.save();
    painter.setClipRect(header.rect);
    style.drawControl(QStyle::CE_HeaderSection, &header, &painter, widget);
    QStyleOptionHeaderV2 part;
    if (const auto* whole = qstyleoption_cast<const QStyleOptionHeaderV2*>(&header))
        part = *whole;
    else
        static_cast<QStyleOptionHeader&>(part) = header;
    part.rect = style.subElementRect(QStyle::SE_HeaderLabel, &header, widget);
    style.drawControl(QStyle::CE_HeaderLabel, &part, &painter, widget);
    part.rect = style.subElementRect(QStyle::SE_HeaderArrow, &header, widget);
    style.drawPrimitive(QStyle::PE_IndicatorHeaderArrow, &part, &painter, widget);
    painter.restore();
}

void rubberBand(QPainter& painter, const QRect& rect) {
    painter.fillRect(rect, withAlpha(Theme::color(Token::Accent), 0.12));
    painter.setPen(Theme::color(Token::Accent));
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
}

}  // namespace

void HeddleStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    switch (element) {
    case CE_PushButtonBevel: proxy()->drawPrimitive(PE_PanelButtonCommand, option, painter, widget); return;
    case CE_PushButtonLabel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option))
            return paint::buttonLabel(*painter, *button, widget);
        break;
    case CE_ComboBoxLabel:
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            QStyleOptionComboBox copy = *combo;
            const QRect text = proxy()->subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget);
            const int icon = combo->currentIcon.isNull() ? 0 : combo->iconSize.width() + px(4);
            copy.currentText = combo->fontMetrics.elidedText(combo->currentText, Qt::ElideRight, text.width() - icon - px(2));
            return QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        break;
    case CE_ToolButtonLabel:
        if (const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
            if (controlRole(widget) == ControlRole::Rail) return railLabel(*painter, *tool);
            QStyleOptionToolButton copy = *tool;
            copy.palette.setColor(QPalette::ButtonText, paint::buttonText(*option, widget));
            if (tool->features & QStyleOptionToolButton::HasMenu) copy.rect.setRight(copy.rect.right() - px(12));
            return QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        break;
    case CE_Header:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
            return drawHeader(*this, *header, *painter, widget);
        break;
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
            return paint::headerSection(*painter, *header);
        [[fallthrough]];
    case CE_ToolBar: return paint::chrome(*painter, option->rect);
    case CE_TabBarTabShape:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) return paint::tab(*painter, *tab);
        break;
    case CE_TabBarTabLabel:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            QStyleOptionTab copy = *tab;
            const bool current = has(*option, State_Selected);
            copy.palette.setColor(QPalette::WindowText, Theme::color(!has(*option, State_Enabled) ? Token::Disabled
                                                                     : current                    ? Token::Text
                                                                                                  : Token::Text2));
            return QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        break;
    case CE_Splitter: return painter->fillRect(option->rect, Theme::color(Token::Line));
    case CE_DockWidgetTitle:
        if (const auto* dock = qstyleoption_cast<const QStyleOptionDockWidget*>(option))
            return dockTitle(*painter, *dock, subElementRect(SE_DockWidgetTitleBarText, option, widget));
        break;
    case CE_MenuBarItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) return menuBarItem(*painter, *item);
        break;
    case CE_MenuBarEmptyArea: return painter->fillRect(option->rect, Theme::color(Token::Window));
    case CE_ProgressBarGroove: return;
    case CE_ProgressBarContents:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option)) return paint::progress(*painter, *bar);
        break;
    case CE_ProgressBarLabel: return;  // the text is beside the bar
    case CE_FocusFrame: {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(Theme::color(Token::Accent), 2));
        painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 5, 5);
        painter->setRenderHint(QPainter::Antialiasing, false);
        return;
    }
    case CE_RubberBand: return rubberBand(*painter, option->rect);
    default: break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void HeddleStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                     const QWidget* widget) const {
    if (control == CC_ComboBox) {
        const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        if (combo && combo->editable)
            paint::field(*painter, *option, widget);
        else
            paint::button(*painter, *option, widget);
        const bool enabled = has(*option, State_Enabled);
        return paint::glyph(*painter, subControlRect(control, option, SC_ComboBoxArrow, widget), Icon::ChevronDown,
                            Theme::color(enabled ? Token::Text2 : Token::Disabled), px(16));
    }
    if (control == CC_SpinBox) {
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        if (!spin) return;
        if (spin->frame) paint::field(*painter, *option, widget);
        if (spin->buttonSymbols == QAbstractSpinBox::NoButtons) return;
        const bool up = has(*option, State_Enabled) && (spin->stepEnabled & QAbstractSpinBox::StepUpEnabled);
        const bool down = has(*option, State_Enabled) && (spin->stepEnabled & QAbstractSpinBox::StepDownEnabled);
        paint::glyph(*painter, subControlRect(control, option, SC_SpinBoxUp, widget), Icon::ChevronUp,
                     Theme::color(up ? Token::Text2 : Token::Line), px(10));
        paint::glyph(*painter, subControlRect(control, option, SC_SpinBoxDown, widget), Icon::ChevronDown,
                     Theme::color(down ? Token::Text2 : Token::Line), px(10));
        return;
    }
    if (const auto* range = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
        if (control == CC_Slider)
            return paint::slider(*painter, *range, subControlRect(control, option, SC_SliderGroove, widget),
                                 subControlRect(control, option, SC_SliderHandle, widget));
        if (control == CC_ScrollBar)
            return paint::scrollBar(*painter, *range, subControlRect(control, option, SC_ScrollBarSlider, widget));
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

}  // namespace heddle::ui
