// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style.h"

#include "ui/theme/focus_ring.h"
#include "ui/theme/style_paint.h"
#include "ui/theme/type.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>

namespace heddle::ui {
namespace {

bool isSmall(const QWidget* widget) { return controlRole(widget) == ControlRole::Small; }

/// At least `least` grid pixels, and room for a line of text in scripts with tall letters.
int height(const QStyleOption* option, double least) {
    return std::max(px(least), option ? option->fontMetrics.height() + px(4) : 0);
}

}  // namespace

HeddleStyle::HeddleStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void HeddleStyle::polish(QPalette& palette) { palette = Theme::instance().palette(); }

/// Text is markup only where a label says so. Qt would otherwise guess, for tool tips, too, and then load the images that a
/// text names: names, notes and tags may come from strangers, and an image may be a device.
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

int HeddleStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_ButtonMargin: return px(16);
    case PM_ButtonDefaultIndicator:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical: return 0;
    case PM_DefaultFrameWidth:
        return qobject_cast<const QAbstractItemView*>(widget) || (widget && widget->inherits("QMenu")) ? 1 : px(2);
    case PM_SplitterWidth:
    case PM_DockWidgetSeparatorExtent:
    case PM_ToolBarFrameWidth:
    case PM_MenuPanelWidth:
    case PM_MenuBarPanelWidth: return 1;
    case PM_DockWidgetFrameWidth:
    case PM_MenuBarItemSpacing:
    case PM_MenuBarVMargin:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_ScrollView_ScrollBarOverlap: return 0;
    case PM_DockWidgetTitleMargin: return px(4);
    case PM_DockWidgetTitleBarButtonMargin: return px(2);
    case PM_TabBarTabHSpace: return px(24);
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
    case PM_FocusFrameHMargin: return px(6) - 1;  // and the one that Qt adds: cells stand under their titles
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
    case SH_ToolTipLabel_Opacity: return 255;
    case SH_Slider_AbsoluteSetButtons: return Qt::LeftButton;
    case SH_ItemView_ShowDecorationSelected:
    case SH_ItemView_MovementWithoutUpdatingSelection:
    case SH_FocusFrame_AboveWidget:
    case SH_ItemView_DrawDelegateFrame:  // an editor in a cell paints its ground only with a frame
    case SH_TitleBar_NoBorder: return 1;
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_ScrollView_FrameOnlyAroundContents:
    case SH_ComboBox_Popup:
    case SH_ScrollBar_LeftClickAbsolutePosition:
    case SH_TabBar_PreferNoArrows:
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

void installLook(QApplication& application) {
    QApplication::setStyle(new HeddleStyle);
    QApplication::setFont(typeFont(Type::Body));
    Theme::instance().setAppearance(Theme::instance().appearance());
    // No style sheet, not even a line: Qt would look up its rules for every widget and everything that it paints.
    new FocusRing(&application);
}

}  // namespace heddle::ui
