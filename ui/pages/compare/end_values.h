// SPDX-License-Identifier: GPL-3.0-or-later
// The end values of runs: a table of every metric, best and last, with step, n and signature.
#pragma once

#include "ui/pages/compare/run_facts.h"
#include "ui/plot/plot_table.h"

namespace heddle::ui {

/// Has two rows for a metric (best, last), a column for each run, n, and the signature ("differ" if the runs have several).
PlotTable endValuesOf(const std::vector<RunPointer>& runs);

}  // namespace heddle::ui
