// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/rail.h"

#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/window/device_tile.h"

#include <QActionGroup>
#include <QEvent>
#include <QLayout>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace heddle::ui {

Rail::Rail(QWidget* parent) : QToolBar(tr("Pages"), parent), group_(new QActionGroup(this)) {
    setObjectName(QStringLiteral("rail"));
    setOrientation(Qt::Vertical);
    setMovable(false);
    setFloatable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);  // its only entry would hide the rail
    toggleViewAction()->setVisible(false);
    setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    setIconSize({px(20), px(20)});
    layout()->setContentsMargins(0, 0, 0, 0);
    layout()->setSpacing(0);
    auto* space = new QWidget(this);
    space->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    space_ = addWidget(space);
    addWidget(tile_ = new DeviceTile(this));
    fitWidth();
}

QAction* Rail::addEntry(Icon icon, const QString& title) {
    auto* action =
        new QAction(themeIcon(icon, {Token::Text2, Token::Text, Token::Onsel, Token::Disabled, Token::Accent}), title, this);
    action->setCheckable(true);
    group_->addAction(action);
    insertAction(space_, action);
    if (auto* button = qobject_cast<QToolButton*>(widgetForAction(action))) {
        setControlRole(*button, ControlRole::Rail);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(title);
    }
    fitWidth();
    return action;
}

void Rail::fitWidth() {
    int width = px(64);
    for (QAction* action : group_->actions()) width = std::max(width, textWidth(action->text(), typeFont(Type::Body)) + px(8));
    width = std::min(width, px(128));  // longer titles are elided; the tips have them whole
    for (QAction* action : group_->actions())
        if (QWidget* button = widgetForAction(action)) button->setFixedWidth(width);
    if (tile_) tile_->setFixedWidth(width);
    setFixedWidth(width);
}

bool Rail::event(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) fitWidth();
    return QToolBar::event(event);
}

void Rail::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Window));
    painter.setPen(Theme::color(Token::Line));
    painter.drawLine(width() - 1, 0, width() - 1, height());
}

}  // namespace heddle::ui
