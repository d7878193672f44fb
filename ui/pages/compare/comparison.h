// SPDX-License-Identifier: GPL-3.0-or-later
// Runs compared, as tables: the settings in which they differ, and what they came to.
#pragma once

#include "ui/data/run_facts.h"
#include "ui/plot/plot_table.h"

#include <unordered_map>

namespace heddle::ui {

struct Differences {
    PlotTable table;                  ///< first column: paths, those that repeat from layer to layer joined ("layers.0,1")
    std::int64_t of = 0;              ///< settings of all runs together
    std::vector<std::string> groups;  ///< key of the group of each column behind the first
};

/// By the keys of the groups.
using GroupNames = std::unordered_map<std::string, QString>;

/// For any thread; some milliseconds a run. A group without a name is called by its first run.
Differences differencesOf(const std::vector<RunPointer>& runs, const GroupNames& names = {});

/// Has two rows for a metric (best, last), a column for each run, n, and the signature ("differ" if the runs have several). A
/// value that was measured on another number of items, by another rule or on other data than that of the first run that has one
/// is marked with kNotComparable.
PlotTable endValuesOf(const std::vector<RunPointer>& runs);

/// "† not comparable with base s1: n differs in BLEU, test"; empty where nothing is marked.
QString warningOf(const std::vector<RunPointer>& runs);

}  // namespace heddle::ui
