// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/controls.h"

#include <QCoreApplication>
#include <QEvent>
#include <QVariant>
#include <QWidget>

namespace heddle::ui {
namespace {
constexpr char kRole[] = "heddleRole";
constexpr char kProblem[] = "heddleProblem";
}  // namespace

void setControlRole(QWidget& widget, ControlRole role) {
    widget.setProperty(kRole, int(role));
    QEvent styleChange(QEvent::StyleChange);  // buttons cache their size hint
    QCoreApplication::sendEvent(&widget, &styleChange);
    widget.updateGeometry();
    widget.update();
}

ControlRole controlRole(const QWidget* widget) {
    return widget ? ControlRole(widget->property(kRole).toInt()) : ControlRole::Normal;
}

void setFieldProblem(QWidget& field, const QString& reason, const QString& help) {
    const QString& words = reason.isEmpty() ? help : reason;
    field.setProperty(kProblem, !reason.isEmpty());
    field.setToolTip(words);
    field.setAccessibleDescription(words);
    field.update();
}

bool hasFieldProblem(const QWidget* field) { return field && field->property(kProblem).toBool(); }

}  // namespace heddle::ui
