// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style.h"

#include "ui/theme/focus_ring.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_paint.h"
#include "ui/theme/type.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>
#include <QTranslator>

namespace heddle::ui {
namespace {

bool isSmall(const QWidget* widget) { return controlRole(widget) == ControlRole::Small; }

/// At least `least` grid pixels, and enough for a line of text in scripts with tall letters.
int height(const QStyleOption* option, double least) {
    return std::max(px(least), option ? option->fontMetrics.height() + px(4) : 0);
}

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

HeddleStyle::HeddleStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void HeddleStyle::polish(QPalette& palette) { palette = Theme::instance().palette(); }

/// Text is markup only in labels that set it. Otherwise Qt would guess, also for tool tips, and load the images that the text
/// names: names, notes and tags may be by other people, and an image may be a device.
void HeddleStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (auto* label = qobject_cast<QLabel*>(widget); label && label->textFormat() == Qt::AutoText)
        label->setTextFormat(Qt::PlainText);
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QTabBar*>(widget) ||
        qobject_cast<QHeaderView*>(widget) || widget->inherits("QAbstractSlider") || widget->inherits("QAbstractSpinBox"))
        widget->setAttribute(Qt::WA_Hover);
    if (auto* view = qobject_cast<QAbstractItemView*>(widget)) view->viewport()->setAttribute(Qt::WA_Hover);
    if (auto* header = qobject_cast<QHeaderView*>(widget)) header->setFont(strongFont(Type::Body));
}

/// Qt's picture on the button for actions that a tool bar has no room for is black in every theme.
QIcon HeddleStyle::standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
    if (which == SP_ToolBarHorizontalExtensionButton || which == SP_ToolBarVerticalExtensionButton)
        return themeIcon(Icon::Menu, Token::Text2);
    return QProxyStyle::standardIcon(which, option, widget);
}

int HeddleStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_ButtonMargin: return px(16);
    case PM_DefaultFrameWidth:
        return qobject_cast<const QAbstractItemView*>(widget) || (widget && widget->inherits("QMenu")) ? 1 : px(2);
    case PM_SplitterWidth:
    case PM_DockWidgetSeparatorExtent:
    case PM_ToolBarFrameWidth:
    case PM_MenuPanelWidth:
    case PM_MenuBarPanelWidth: return 1;
    case PM_DockWidgetFrameWidth:
    case PM_MenuBarItemSpacing:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
    case PM_TabBarTabShiftVertical: return 0;
    case PM_DockWidgetTitleMargin: return px(4);
    case PM_DockWidgetTitleBarButtonMargin: return px(2);
    case PM_TabBarTabHSpace: return px(20);
    case PM_TabBarTabVSpace: return px(8);
    case PM_ScrollBarExtent: return px(11);
    case PM_ScrollBarSliderMin: return px(24);
    case PM_SliderThickness:
    case PM_SliderControlThickness:
    case PM_SliderLength:
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight: return px(14);
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing: return px(6);
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ListViewIconSize:
    case PM_TabBarIconSize:
    case PM_ToolBarIconSize: return px(16);
    case PM_ToolBarItemSpacing:
    case PM_ToolBarItemMargin: return px(4);
    case PM_ToolBarSeparatorExtent: return px(9);
    case PM_ToolBarExtensionExtent: return px(16);
    case PM_LayoutLeftMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutBottomMargin:
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing: return px(8);
    case PM_FocusFrameHMargin: return px(6) - 1;  // Qt adds one; cells are aligned with their headers
    case PM_FocusFrameVMargin: return 3;
    case PM_HeaderMarkSize: return px(10);
    case PM_HeaderMargin: return px(6);
    case PM_TreeViewIndentation: return px(16);
    case PM_ToolTipLabelFrameWidth: return px(5);
    case PM_ProgressBarChunkWidth: return 1;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int HeddleStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* result) const {
    switch (hint) {
    case SH_Widget_Animation_Duration: return Theme::duration(100);
    case SH_Widget_Animate: return Theme::motion() == Motion::Full;
    case SH_Slider_AbsoluteSetButtons: return Qt::LeftButton;
    case SH_FocusFrame_AboveWidget:
    case SH_ItemView_DrawDelegateFrame: return 1;  // an editor in a cell paints its background only with a frame
    case SH_EtchDisabledText:
    case SH_ComboBox_Popup:
    case SH_ToolBar_Movable:
    case SH_FocusFrame_Mask:
    case SH_UnderlineShortcut: return 0;
    default: return QProxyStyle::styleHint(hint, option, widget, result);
    }
}

QSize HeddleStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                    const QWidget* widget) const {
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    const double button = isSmall(widget) ? 20 : 24;
    switch (type) {
    case CT_PushButton: {
        const auto* plain = qstyleoption_cast<const QStyleOptionButton*>(option);
        const bool bare = plain && plain->text.isEmpty();
        return {contents.width() + px(bare ? 8 : isSmall(widget) ? 16 : 22), height(option, button)};
    }
    case CT_ComboBox: return {contents.width() + px(40), height(option, button)};
    case CT_LineEdit:
    case CT_SpinBox: return {size.width(), height(option, 22)};
    case CT_CheckBox:
    case CT_RadioButton: return {size.width(), height(option, 20)};
    case CT_ToolButton: {
        if (controlRole(widget) == ControlRole::Rail) return {px(64), px(52)};
        const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
        const bool bare = tool && (tool->text.isEmpty() || tool->toolButtonStyle == Qt::ToolButtonIconOnly);
        const int arrow = tool && (tool->features & QStyleOptionToolButton::HasMenu) ? px(12) : 0;
        return {bare ? px(button) + arrow : contents.width() + px(14) + arrow, height(option, button)};
    }
    case CT_TabBarTab: return {size.width(), height(option, 26)};
    case CT_HeaderSection: return {size.width(), height(option, 24)};
    case CT_ItemViewItem: return {size.width() + px(4), std::max(size.height(), height(option, 24))};
    case CT_MenuItem: {
        const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
        const bool line = item && item->menuItemType == QStyleOptionMenuItem::Separator;
        return {size.width() + px(8), line ? px(7) : std::max(size.height(), height(option, 24))};
    }
    case CT_MenuBarItem: return {contents.width() + px(16), height(option, 24)};
    case CT_ProgressBar: return {size.width(), px(6)};
    default: return size;
    }
}

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
    if (element == SE_HeaderLabel && option) {  // the vertical margin of Qt would cut off descenders
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
    case PE_FrameFocusRect:  // the current cell of a view, the tab with the focus; controls have the ring
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

void installLook(QApplication& application) {
    // English in every locale: there is no other language yet, and without it texts would have "run(s)" after numbers.
    auto* words = new QTranslator(&application);
    const bool isLoaded = words->load(QStringLiteral(":/translations/heddle_en.qm"));
    Q_ASSERT(isLoaded);
    if (isLoaded) QCoreApplication::installTranslator(words);
    QApplication::setStyle(new HeddleStyle);
    QApplication::setFont(typeFont(Type::Body));
    Theme::instance().setAppearance(Theme::instance().appearance());
    // No style sheet, not even a line: Qt would look up its rules for every widget and every painted element.
    new FocusRing(&application);
}

}  // namespace heddle::ui
