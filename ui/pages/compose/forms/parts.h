// SPDX-License-Identifier: GPL-3.0-or-later
// A tree and texts that several panels of the page use.
#pragma once

#include "ui/widgets/small_parts.h"

#include <QTreeView>

namespace heddle::ui {

/// A tree without a frame. `name` is the object name.
QTreeView* makeTree(const char* name, const QString& accessibleName, QWidget* parent);

/// A formula of a descriptor as rich text: W_g and d^½ become lowered and raised.
QString formulaMarkup(const QString& formula);
/// The same in one plain line.
QString formulaLine(QString formula);

/// "4.76 M": four digits at most, with the letter of its size.
QString scaled(double value);
/// "+363,648", or "0".
QString signedCount(qint64 value);
/// "+9.83 %".
QString percent(double share);

}  // namespace heddle::ui
