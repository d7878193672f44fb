// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/focus_ring.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QLineEdit>

namespace heddle::ui {
namespace {

bool byKeyboard(Qt::FocusReason reason) {
    return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
}

/// The widget that has the ring: for the line edit of a spin or combo box, the whole box.
QWidget* control(QWidget* widget) {
    QWidget* parent = widget->parentWidget();
    const bool inner = qobject_cast<QAbstractSpinBox*>(parent) || qobject_cast<QComboBox*>(parent);
    return inner ? parent : widget;
}

bool isField(const QWidget* widget) {
    if (qobject_cast<const QLineEdit*>(widget)) return static_cast<const QLineEdit*>(widget)->hasFrame();
    const auto* combo = qobject_cast<const QComboBox*>(widget);
    return qobject_cast<const QAbstractSpinBox*>(widget) || (combo && combo->isEditable());
}

/// Views and tabs mark their current item themselves.
bool hasRing(const QWidget* widget) {
    return isField(widget) || qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QAbstractSlider*>(widget);
}

}  // namespace

FocusRing::FocusRing(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn && watched->isWidgetType()) {
        QWidget* widget = control(static_cast<QWidget*>(watched));
        const bool ring = hasRing(widget) && (isField(widget) || byKeyboard(static_cast<QFocusEvent*>(event)->reason()));
        follow(ring ? widget : nullptr);
    } else if (event->type() == QEvent::FocusOut && watched->isWidgetType()) {
        follow(nullptr);
    }
    return false;
}

void FocusRing::follow(QWidget* widget) {
    if (!widget) {
        if (frame_) frame_->setWidget(nullptr);
        return;
    }
    if (!frame_) {  // it was deleted with its last window
        frame_ = new QFocusFrame;
        frame_->setAttribute(Qt::WA_TransparentForMouseEvents);
    }
    frame_->setWidget(widget);
}

}  // namespace heddle::ui
