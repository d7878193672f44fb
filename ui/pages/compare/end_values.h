// SPDX-License-Identifier: GPL-3.0-or-later
// The end values of runs: a table of every metric, best and last, with step, n and signature.
#pragma once

#include "ui/pages/compare/run_facts.h"
#include "ui/plot/plot_table.h"

#include <set>

namespace heddle::ui {

/// Has two rows for a metric (best, last), a column for each run, n, and the signature ("differ" if the runs have several). A
/// value that was measured on another number of items, by another rule or on other data than that of the first run that has one
/// is marked with kNotComparable.
PlotTable endValuesOf(const std::vector<RunPointer>& runs);
inline constexpr QChar kNotComparable(0x2020);

/// "n differs, the data differ".
QString doubtWords(const std::set<Unlike>& doubts);

/// "† not comparable with base s1: n differs in BLEU, test"; empty where nothing is marked.
QString warningOf(const std::vector<RunPointer>& runs);

}  // namespace heddle::ui
