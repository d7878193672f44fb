// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of a widget that HeddleStyle reads when it paints the widget.
#pragma once

#include <QString>

class QWidget;

namespace heddle::ui {

/// Primary: the one filled button of a page or dialog. Rail: an entry of the page rail. Small: 20 px high.
/// GroupFirst … GroupLast: joined buttons of one choice.
enum class ControlRole { Normal, Primary, Rail, Small, GroupFirst, GroupMiddle, GroupLast };

void setControlRole(QWidget& widget, ControlRole role);
ControlRole controlRole(const QWidget* widget);

/// Marks a field as invalid: the edge in `bad`, `reason` as tooltip and accessible description. An empty reason removes the
/// mark and sets `help` as the tooltip.
void setFieldProblem(QWidget& field, const QString& reason, const QString& help = {});
bool hasFieldProblem(const QWidget* field);

}  // namespace heddle::ui
