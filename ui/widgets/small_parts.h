// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts that panels and pages are made of.
#pragma once

#include <QString>

class QLabel;
class QVBoxLayout;
class QWidget;

namespace heddle::ui {

/// A column of a widget whose parts touch each other and its edges.
QVBoxLayout* makeColumn(QWidget* owner);

/// Gives a label the look of secondary words, small.
void setCaption(QLabel& label);
/// Secondary words, small.
QLabel* makeCaption(const QString& text, QWidget* parent);

}  // namespace heddle::ui
