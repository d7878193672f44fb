// SPDX-License-Identifier: GPL-3.0-or-later
// The run table as it is shown: filtered, grouped and sorted, with the values of its cells. Made on a pool thread from plain
// data, so that 10,000 runs of 50 columns cost the GUI thread nothing.
#pragma once

#include "engine/analysis/spread.h"
#include "ui/pages/compare/columns.h"
#include "ui/pages/compare/run_filter.h"

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace heddle::ui {

enum class Grouping { Settings, None };

struct ArrangeOptions {
    std::vector<Column> columns;
    QString filter;
    Grouping grouping = Grouping::Settings;
    int sortColumn = 0;
    Qt::SortOrder order = Qt::AscendingOrder;
    std::string baseline = {};  ///< key of the group that the others are compared with; empty: the first one
};

struct RunRow {
    RunPointer run;
    std::vector<Cell> cells;  ///< one a column
};

/// The runs of one group (engine/analysis/run_group.h). Without grouping, one run that stands for itself.
struct RunGroup {
    std::string key;
    QString name;  ///< groupNames() of the groups that are shown
    std::vector<RunRow> rows;
    int completed = 0, seeds = 0;  ///< seeds with a completed run, without those that interventions changed; all seeds
    std::vector<Cell> cells;       ///< numbers: mean of the counted runs; texts: what all runs share
    std::vector<std::optional<Spread>> spreads;  ///< of each mean; absent where there is none
    std::vector<std::set<Unlike>> doubts;        ///< of each mean: why it must not be put beside Arrangement::measured
};

struct Arrangement {
    ArrangeOptions options;
    std::vector<RunGroup> groups;
    std::int64_t shown = 0, of = 0;  ///< runs
    std::optional<FilterError> error;
    std::unordered_map<std::string, QString> names;  ///< of the groups of all runs that are shown, by key
    /// By metric: how the values were measured that the others are put beside, and the group that has them.
    struct Reference {
        Measured measured;
        std::string group;
    };
    std::unordered_map<std::string, Reference> measured;

    /// Where a row stands: its group, and its place in it (-1: the group itself).
    struct Place {
        int group = 0, row = -1;
        bool operator==(const Place&) const = default;
    };
    std::unordered_map<std::string, Place> places;  ///< by runKey(), and by groupKey()
    static std::string runKey(const RunRef& run) { return run.key().toStdString(); }
    static std::string groupKey(const std::string& key) { return "group " + key; }
};

Arrangement arrange(const RunTable& table, const ArrangeOptions& options);

}  // namespace heddle::ui
