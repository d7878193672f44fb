// SPDX-License-Identifier: GPL-3.0-or-later
// What runs came to: a table of every metric, best and last, with step, n and signature.
#pragma once

#include "ui/pages/compare/run_facts.h"
#include "ui/plot/plot_table.h"

namespace heddle::ui {

/// Two rows a metric (best, last), n, one column a run, and the signature ("differ" where the runs' are not the
/// same).
PlotTable endValuesOf(const std::vector<RunPointer>& runs);

}  // namespace heddle::ui
