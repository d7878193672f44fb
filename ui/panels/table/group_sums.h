// SPDX-License-Identifier: GPL-3.0-or-later
// What a run table shows of runs and groups whatever its filter hides: the cells of each run, the values of each group over all
// of its runs. Made once for the runs and the settings of a table, and shared by its arrangements (arrangement.h).
#pragma once

#include "engine/analysis/spread.h"
#include "ui/data/study_comparison.h"
#include "ui/panels/table/columns.h"
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
    using Compared = std::vector<std::pair<std::size_t, Cell>>;
    RunPointer run;
    std::shared_ptr<const std::vector<Cell>> known;  ///< a cell for each column
    std::shared_ptr<const Compared> compared = {};   ///< of the columns that a comparison fills, by place; may be null
    std::size_t place = 0;                           ///< of the run in the table: equal rows stand in this order
    Doubts doubts = {};                              ///< in an Arrangement

    const Cell& cell(std::size_t column) const {
        if (compared)
            for (const auto& [at, cell] : *compared)
                if (at == column) return cell;
        return (*known)[column];
    }
};

/// The runs of one group (engine/analysis/run_group.h) and what they come to. Without grouping, one run that stands for itself.
struct GroupSums {
    std::string key;
    std::vector<RunRow> rows;      ///< all of the group
    int completed = 0, seeds = 0;  ///< seeds with a completed run, without those that interventions changed; all seeds
    std::map<Mark, int> marks;     ///< in which state how many of the runs are
    /// By column; empty in a table that is no TableUse::Compare.
    std::vector<Cell> cells;                        ///< numbers: mean of the counted runs; texts: what all runs share
    std::vector<std::optional<Spread>> spreads;     ///< of each mean; absent where there is none
    std::vector<std::vector<std::size_t>> counted;  ///< places of the rows that make the mean
    std::set<std::size_t> differing;                ///< columns of texts that its runs do not share
    std::vector<const Measured*> alike;             ///< how all values of a metric were measured; null where that differs
};
using GroupPointer = std::shared_ptr<const GroupSums>;

/// The groups from one arrangement to the next. They are made anew for other runs, columns, sizes, grouping, view or another
/// comparison, and then the cells of the runs that were there are kept.
class KnownGroups {
public:
    /// The groups of the runs that the view lists, in the order of their first runs.
    const std::vector<GroupPointer>& of(const RunTable& table, const ArrangeOptions& options);

private:
    using Cells = std::shared_ptr<const std::vector<Cell>>;
    void keepCells(const RunTable& table, const ArrangeOptions& options);
    const Cells& cellsOf(const RunPointer& run);
    void group();

    ArrangeOptions options_;
    std::vector<RunPointer> runs_;
    std::vector<GroupPointer> groups_;
    std::unordered_map<RunPointer, Cells> cells_;
};

}  // namespace heddle::ui
