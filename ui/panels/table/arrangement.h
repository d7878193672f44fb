// SPDX-License-Identifier: GPL-3.0-or-later
// A run table as it is shown: filtered and sorted, with the names of its groups and what cannot be compared. The filter hides
// rows and changes no number: values of a group are of all its runs, and a group is shown while one of them is. It is made anew
// at each change, a letter of the filter too, from groups that are kept (group_sums.h); sorted() puts the rows that are there
// into another order. `table_bench` measures both.
#pragma once

#include "ui/panels/table/group_sums.h"
#include "ui/panels/table/run_filter.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::ui {

/// The runs of one group that the filter shows, at least one.
struct RunGroup {
    std::string key;
    QString name;  ///< groupNames() of the groups that are shown
    std::vector<RunRow> rows;
    GroupPointer sums;      ///< of all runs of the group
    std::size_t place = 0;  ///< of its first row: equal groups stand in this order
    Doubts doubts;          ///< of the runs that make the means
};

struct Arrangement {
    ArrangeOptions options;
    std::vector<RunGroup> groups;
    std::int64_t shown = 0, of = 0;  ///< runs
    std::optional<FilterError> error;
    std::unordered_map<std::string, QString> names;  ///< of the groups of all runs that are shown, by key
    std::map<std::size_t, std::string> references;   ///< by column of a metric: the group that the values are put beside

    /// Where a row stands: its group, and its place in it (-1: the group itself).
    struct Place {
        int group = 0, row = -1;
        bool operator==(const Place&) const = default;
    };
    std::unordered_map<std::string, Place> places;  ///< by runKey(), and by groupKey()
    static std::string runKey(const RunRef& run) { return run.key().toStdString(); }
    static std::string groupKey(const std::string& key) { return "group " + key; }
};

Arrangement arrange(const RunTable& table, const ArrangeOptions& options, KnownGroups& known);
Arrangement arrange(const RunTable& table, const ArrangeOptions& options);
/// The arrangement as arrange() makes it with this column and order.
Arrangement sorted(Arrangement arrangement, int column, Qt::SortOrder order);

}  // namespace heddle::ui
