// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/run/measurement.h"
#include "ui/plot/plot_table.h"

namespace heddle::ui::inspect {

/// A measurement as it leaves the program: plain numbers, a row for each metric or each part that was changed. The changes of
/// `beside`, a measurement of the same question on another model, or null, stand in columns of their own, empty where the two
/// were not measured on the same data by the same rule.
PlotTable measurementTable(const Measurement& measurement, const Measurement* beside);

}  // namespace heddle::ui::inspect
