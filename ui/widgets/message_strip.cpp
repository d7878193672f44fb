// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_strip.h"

#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace heddle::ui {
namespace {

struct Look {
    Icon icon;
    Token ground, color;
};

Look lookOf(StripKind kind) {
    switch (kind) {
    case StripKind::Ok: return {Icon::Shield, Token::StripOk, Token::Ok};
    case StripKind::Info: return {Icon::Info, Token::StripInfo, Token::Run};
    case StripKind::Warn: return {Icon::Warning, Token::StripWarn, Token::Warn};
    case StripKind::Bad: return {Icon::Error, Token::StripBad, Token::Bad};
    }
    return {Icon::Info, Token::StripInfo, Token::Run};
}

}  // namespace

MessageStrip::MessageStrip(QWidget* parent)
    : QFrame(parent), icon_(new QLabel(this)), title_(new QLabel(this)), text_(new QLabel(this)), actionRow_(new QHBoxLayout) {
    setFrameShape(QFrame::NoFrame);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    title_->setTextFormat(Qt::PlainText);
    text_->setTextFormat(Qt::PlainText);
    text_->setWordWrap(true);
    for (QLabel* label : {title_, text_}) label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("closeMessage"));
    close->setAutoRaise(true);
    close->setIcon(themeIcon(Icon::Cross));
    close->setToolTip(tr("Close"));
    close->setAccessibleName(tr("Close message"));
    setControlRole(*close, ControlRole::Small);
    connect(close, &QToolButton::clicked, this, [this] {
        Q_EMIT closed();
        hide();
    });
    auto* words = new QVBoxLayout;
    words->setSpacing(px(1));
    words->addWidget(title_);
    words->addWidget(text_);
    actionRow_->setSpacing(px(8));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(10), px(3), px(6), px(3));
    row->addWidget(icon_, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    row->addLayout(actionRow_);
    row->addWidget(close, 0, Qt::AlignTop);
    icon_->setContentsMargins(0, px(3), 0, 0);
    connect(&Theme::instance(), &Theme::changed, this, &MessageStrip::recolour);
    hide();
}

QString MessageStrip::title() const { return title_->text(); }

void MessageStrip::showMessage(const Message& message) {
    kind_ = message.kind;
    if (!isAncestorOf(QApplication::focusWidget())) before_ = QApplication::focusWidget();
    title_->setText(message.title);
    title_->setFont(message.text.isEmpty() ? typeFont(Type::Body) : strongFont(Type::Body));
    title_->setMinimumHeight(px(22));
    text_->setText(message.text);
    text_->setVisible(!message.text.isEmpty());
    rebuildActions(message.actions + message.sideActions);
    recolour();
    setAccessibleName(message.title);
    setAccessibleDescription(message.text);
    show();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageStrip::rebuildActions(const QList<QAction*>& actions) {
    while (QLayoutItem* item = actionRow_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (QAction* action : actions) {
        auto* button = new QPushButton(action->text(), this);
        button->setObjectName(action->objectName());
        setControlRole(*button, ControlRole::Small);
        button->setFocusPolicy(Qt::TabFocus);  // a click leaves the focus where it is
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->toolTip());
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, button, [button, action] { button->setEnabled(action->isEnabled()); });
        connect(action, &QObject::destroyed, button, &QObject::deleteLater);
        actionRow_->addWidget(button);
    }
}

void MessageStrip::hideEvent(QHideEvent* event) {
    const QWidget* focused = QApplication::focusWidget();
    if (before_ && before_->isVisible() && (!focused || focused == this || isAncestorOf(focused)))
        before_->setFocus(Qt::OtherFocusReason);
    QFrame::hideEvent(event);
}

void MessageStrip::recolour() {
    const Look look = lookOf(kind_);
    icon_->setPixmap(iconPixmap(look.icon, Theme::color(look.color), px(16), devicePixelRatioF()));
    update();
}

void MessageStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(lookOf(kind_).ground));
}

void MessageStrip::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape) return QFrame::keyPressEvent(event);
    Q_EMIT closed();
    hide();
}

}  // namespace heddle::ui
