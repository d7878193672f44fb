// SPDX-License-Identifier: GPL-3.0-or-later
// Small facts about a widget that HeddleStyle reads when it paints it.
#pragma once

#include <QString>

class QWidget;

namespace heddle::ui {

/// Primary: the one filled button of a page or dialog. Rail: an entry of the page rail. Small: 20 px high.
/// GroupFirst … GroupLast: joined buttons of one choice.
enum class ControlRole { Normal, Primary, Rail, Small, GroupFirst, GroupMiddle, GroupLast };

void setControlRole(QWidget& widget, ControlRole role);
ControlRole controlRole(const QWidget* widget);

/// Marks a field as wrong (edge in `bad`, `reason` as tooltip and accessible description); an empty reason takes it back and
/// sets `help` in its place.
void setFieldProblem(QWidget& field, const QString& reason, const QString& help = {});
bool hasFieldProblem(const QWidget* field);

}  // namespace heddle::ui
