// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/small_parts.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAction>
#include <QEvent>
#include <QPainter>
#include <QStyle>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {

QVBoxLayout* makeColumn(QWidget* owner) {
    auto* column = new QVBoxLayout(owner);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

void setCaption(QLabel& label) {
    label.setFont(typeFont(Type::Caption));
    label.setForegroundRole(QPalette::PlaceholderText);
}

QLabel* makeCaption(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    setCaption(*label);
    return label;
}

QAction* makeAction(QObject* owner, const ActionInfo& info, const std::function<void()>& does) {
    auto* action = new QAction(info.text, owner);
    action->setObjectName(QLatin1String(info.name));
    if (info.icon) action->setIcon(themeIcon(*info.icon));
    action->setShortcut(info.key);
    action->setShortcutContext(info.context);
    if (!info.tip.isEmpty()) action->setToolTip(info.tip);
    if (does) QObject::connect(action, &QAction::triggered, owner, does);
    return action;
}

QToolButton* addButton(QToolBar& bar, QAction* action, Qt::ToolButtonStyle style) {
    auto* button = new QToolButton(&bar);
    button->setDefaultAction(action);
    button->setObjectName(action->objectName());
    QAction* place = bar.addWidget(button);
    button->setAutoRaise(style == Qt::ToolButtonIconOnly);  // after the bar has changed it
    button->setToolButtonStyle(style);
    const auto follow = [place, action] { place->setVisible(action->isVisible()); };
    follow();
    QObject::connect(action, &QAction::changed, place, follow);
    return button;
}

QWidget* captioned(const QString& words, QWidget* plot, QWidget* parent) {
    auto* pane = new QWidget(parent);
    auto* label = new ElidedLabel(words, pane);
    setCaption(*label);
    label->setContentsMargins(px(8), px(2), px(4), 0);
    label->setFixedHeight(px(20));
    QVBoxLayout* column = makeColumn(pane);
    column->addWidget(label);
    column->addWidget(plot, 1);
    return pane;
}

void paintProgress(QPainter& painter, const QRectF& bar, double share) {
    const double radius = bar.height() / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::color(Token::Line));
    painter.drawRoundedRect(bar, radius, radius);
    painter.setClipRect(QRectF(bar.topLeft(), QSizeF(bar.width() * std::clamp(share, 0.0, 1.0), bar.height())));
    painter.setBrush(Theme::color(Token::Run));
    painter.drawRoundedRect(bar, radius, radius);
    painter.restore();
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(contentsRect(), int(alignment() | Qt::AlignVCenter) | Qt::TextSingleLine,
                     fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
}

SideArea::SideArea(int leastWidth, QWidget* parent) : QScrollArea(parent), leastWidth_(leastWidth) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

QSize SideArea::minimumSizeHint() const {
    const int content = widget() ? widget()->minimumSizeHint().width() : 0;
    return {std::max(leastWidth_, content + style()->pixelMetric(QStyle::PM_ScrollBarExtent)), px(120)};
}

bool SideArea::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

}  // namespace heddle::ui
