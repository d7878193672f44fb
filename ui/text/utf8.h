// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace heddle::ui {

/// UTF-8 of the engine as text of Qt.
inline QString text(const std::string& words) { return QString::fromStdString(words); }

}  // namespace heddle::ui
