// SPDX-License-Identifier: GPL-3.0-or-later
// A run table as it is shown: filtered, grouped and sorted, with the values of its cells. The filter hides rows and changes no
// number: values of a group are of all its runs, and a group is shown while one of them is. It is made anew at each change, a
// letter of the filter too; sorted() puts the rows that are there into another order. `table_bench` measures both.
#pragma once

#include "engine/analysis/spread.h"
#include "ui/data/study_comparison.h"
#include "ui/panels/table/columns.h"
#include "ui/panels/table/run_filter.h"
#include "ui/text/states.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::ui {

enum class Grouping { Settings, None };

/// What a table is for. Compare: values beside each other, with ticks, steps and doubts. Manage: single runs, whose names and
/// tags are edited in place.
enum class TableUse { Compare, Manage };

/// Which runs are listed. Attention: interrupted, failed, paused, damaged. Deleted: those in the trash.
enum class RunView { All, Live, Attention, Deleted };
/// Whether the view lists the run, be it kept or in the trash.
bool belongs(const Run& run, RunView view);

struct ArrangeOptions {
    std::vector<Column> columns;
    QString filter;
    Grouping grouping = Grouping::Settings;
    int sortColumn = 0;
    Qt::SortOrder order = Qt::AscendingOrder;
    std::string baseline = {};  ///< key of the group that the others are compared with; empty: the first one
    TableUse use = TableUse::Compare;
    RunView view = RunView::All;
    std::map<std::string, qint64> sizes = {};                ///< bytes of the runs' folders, by run
    std::shared_ptr<const StudyComparison> comparison = {};  ///< fills the columns that are Column::isCompared(); may be null
};

/// By column: why a value must not be put beside those of the reference (Arrangement::references). Absent: it may.
using Doubts = std::map<std::size_t, std::set<Unlike>>;

struct RunRow {
    RunPointer run;
    std::shared_ptr<const std::vector<Cell>> known;           ///< a cell for each column, shared with KnownCells
    std::vector<std::pair<std::size_t, Cell>> compared = {};  ///< of the columns that are Column::isCompared(), by place
    Doubts doubts = {};
    bool fits = true;       ///< the filter; all rows of a table that is shown do
    std::size_t place = 0;  ///< of the run in the table: equal rows stand in this order

    const Cell& cell(std::size_t column) const {
        for (const auto& [at, cell] : compared)
            if (at == column) return cell;
        return (*known)[column];
    }
};

/// The runs of one group (engine/analysis/run_group.h). Without grouping, one run that stands for itself.
struct RunGroup {
    std::string key;
    QString name;                  ///< groupNames() of the groups that are shown
    std::vector<RunRow> rows;      ///< those that the filter shows
    int runs = 0;                  ///< all of the group
    int completed = 0, seeds = 0;  ///< seeds with a completed run, without those that interventions changed; all seeds
    std::map<Mark, int> marks;     ///< in which state how many of the runs are; all of the group
    std::size_t place = 0;         ///< in the order of the table: equal groups stand in this order
    std::vector<Cell> cells;       ///< numbers: mean of the counted runs; texts: what all runs share
    std::vector<std::optional<Spread>> spreads;  ///< of each mean; absent where there is none
    std::set<std::size_t> differing = {};        ///< columns of texts that its runs do not share
    Doubts doubts;                               ///< of the runs that make the means
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

/// The cells of runs from one arrangement to the next: a letter of the filter changes none of them.
class KnownCells {
public:
    /// Forgets all cells if the columns or sizes differ from those of the arrangement before. arrange() calls it once.
    void begin(const ArrangeOptions& options);
    /// Returns the cells of the run, one for each column.
    std::shared_ptr<const std::vector<Cell>> of(const RunPointer& run, const ArrangeOptions& options);
    /// Forgets the runs that the table does not have.
    void keep(const RunTable& table);

private:
    std::vector<Column> columns_;
    std::map<std::string, qint64> sizes_;
    std::unordered_map<RunPointer, std::shared_ptr<const std::vector<Cell>>> known_;
};

Arrangement arrange(const RunTable& table, const ArrangeOptions& options, KnownCells& known);
Arrangement arrange(const RunTable& table, const ArrangeOptions& options);
/// The arrangement as arrange() makes it with this column and order.
Arrangement sorted(Arrangement arrangement, int column, Qt::SortOrder order);

}  // namespace heddle::ui
