// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/rail.h"

#include "ui/shell/controls.h"
#include "ui/shell/device_tile.h"
#include "ui/shell/icons.h"
#include "ui/shell/theme.h"
#include "ui/shell/type.h"

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
