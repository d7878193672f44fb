// SPDX-License-Identifier: GPL-3.0-or-later
// The settings in which runs differ, as a table: a row for each path, a column for each group of runs.
#pragma once

#include "ui/pages/compare/run_facts.h"
#include "ui/plot/plot_table.h"

#include <map>

namespace heddle::ui {

struct Differences {
    PlotTable table;                  ///< first column: paths, those that repeat from layer to layer joined ("layers.0,1")
    std::int64_t of = 0;              ///< settings of all runs together
    std::vector<std::string> groups;  ///< key of the group of each column behind the first
};

/// For any thread; some milliseconds a run. `names`: of the groups, by their keys; a group without one is called by its first
/// run.
Differences differencesOf(const std::vector<RunPointer>& runs, const std::map<std::string, QString>& names = {});

}  // namespace heddle::ui
