// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/run/system_series.h"

#include <QString>

#include <string_view>

namespace heddle::ui {

/// The series of kSystemSeries with this name; null: it is another one.
const SystemSeries* findSystemSeries(std::string_view name);

/// "CPU, cores".
QString systemTitle(const SystemSeries& series);

}  // namespace heddle::ui
