// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/rail.h"

#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/window/device_tile.h"

#include <QActionGroup>
#include <QLayout>
#include <QPainter>
#include <QToolButton>

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
    setFixedWidth(px(64));
    layout()->setContentsMargins(0, 0, 0, 0);
    layout()->setSpacing(0);
    auto* space = new QWidget(this);
    space->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    space_ = addWidget(space);
    addWidget(new DeviceTile(this));
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
        button->setFixedWidth(px(64));
    }
    return action;
}

void Rail::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Window));
    painter.setPen(Theme::color(Token::Line));
    painter.drawLine(width() - 1, 0, width() - 1, height());
}

}  // namespace heddle::ui
