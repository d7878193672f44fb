// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/group_sums.h"

#include "engine/analysis/run_group.h"
#include "ui/data/run_database.h"
#include "ui/data/studio.h"
#include "ui/panels/table/compared_cells.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::ui {
namespace {

/// The runs of a group whose values may count.
struct Members {
    std::vector<GroupMember> all;
    std::vector<std::size_t> places;   ///< of their rows
    std::vector<std::size_t> counted;  ///< where each of them has the value
};

std::vector<std::size_t> placesOf(const std::vector<GroupMember>& members, const std::vector<std::size_t>& places) {
    std::vector<std::size_t> counted;
    for (const std::size_t member : countedRuns(members)) counted.push_back(places[member]);
    return counted;
}

Members membersOf(const std::vector<RunRow>& rows, int completed) {
    Members members;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        GroupMember member = memberOf(rows[i].run->record);
        if ((completed > 0 && !member.completed) || (rows.size() > 1 && member.intervened)) continue;
        members.all.push_back(std::move(member));
        members.places.push_back(i);
    }
    members.counted = placesOf(members.all, members.places);
    return members;
}

/// The places of the runs that count (countedRuns()) among those that have the value.
std::vector<std::size_t> countedIn(const std::vector<RunRow>& rows, std::size_t column, const Members& members) {
    const auto hasValue = [&](std::size_t place) { return rows[place].cell(column).isNumber; };
    if (std::all_of(members.places.begin(), members.places.end(), hasValue)) return members.counted;
    std::vector<GroupMember> having;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < members.all.size(); ++i) {
        if (!hasValue(members.places[i])) continue;
        having.push_back(members.all[i]);
        places.push_back(members.places[i]);
    }
    return placesOf(having, places);
}

/// Summarises the runs that count; nothing where none has the value.
std::optional<Spread> spreadIn(const std::vector<RunRow>& rows, std::size_t column, const std::vector<std::size_t>& counted) {
    std::vector<double> values;
    for (const std::size_t place : counted) values.push_back(rows[place].cell(column).number);
    return values.empty() ? std::nullopt : std::optional(spreadOf(values));
}

/// How all values of the metric were measured; null where that differs.
const Measured* alikeIn(const std::vector<RunRow>& rows, std::size_t column, const std::string& metric) {
    const Measured* first = nullptr;
    for (const RunRow& row : rows) {
        if (!row.cell(column).isNumber) continue;
        const Measured* own = row.run->measured(metric);
        if (!first) first = own;
        if (*own != *first) return nullptr;
    }
    return first;
}

/// Takes what all runs of the group share.
void share(GroupSums& group, std::size_t column) {
    const Cell& first = group.rows.front().cell(column);
    if (std::all_of(group.rows.begin(), group.rows.end(),
                    [&](const RunRow& row) { return compareCells(row.cell(column), first) == 0; }))
        group.cells[column] = first;
    else
        group.differing.insert(column);
}

bool isMean(const Column& column) {
    using Kind = Column::Kind;
    return column.isMetric() || column.kind == Kind::Time || column.kind == Kind::Epochs || column.kind == Kind::Steps;
}

/// Sums up the runs, column by column.
void summarise(GroupSums& group, const std::vector<Column>& columns) {
    std::set<std::uint64_t> completed, seeds;
    for (const auto& row : group.rows) {
        const GroupMember member = memberOf(row.run->record);
        seeds.insert(member.seed);
        ++group.marks[markOf(row.run->record)];
        if (member.completed && !member.intervened) completed.insert(member.seed);
    }
    group.completed = int(completed.size());
    group.seeds = int(seeds.size());
    group.cells.resize(columns.size());
    group.spreads.resize(columns.size());
    group.counted.resize(columns.size());
    group.alike.resize(columns.size());
    const Members members = membersOf(group.rows, group.completed);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].kind == Column::Kind::Run) continue;  // its name depends on the other groups: RunGroup::name
        if (columns[i].kind == Column::Kind::Seed)
            group.cells[i] = numberCell(group.completed);
        else if (isMean(columns[i])) {
            group.counted[i] = countedIn(group.rows, i, members);
            group.spreads[i] = spreadIn(group.rows, i, group.counted[i]);
            if (group.spreads[i]) group.cells[i] = numberCell(group.spreads[i]->mean);
            if (columns[i].isMetric()) group.alike[i] = alikeIn(group.rows, i, columns[i].key);
        } else if (!columns[i].isCompared())
            share(group, i);
    }
}

/// Fills the columns of the comparison.
void compare(GroupSums& group, const ArrangeOptions& options) {
    const ComparedGroup* compared = options.comparison ? options.comparison->group(group.key) : nullptr;
    if (!compared) return;
    std::vector<std::size_t> filled;
    for (std::size_t i = 0; i < options.columns.size(); ++i)
        if (options.columns[i].isCompared()) filled.push_back(i);
    for (const std::size_t i : filled) group.cells[i] = comparedCell(options.columns[i], *options.comparison, *compared);
    for (RunRow& row : group.rows) {
        RunRow::Compared cells;
        for (const std::size_t i : filled)
            cells.emplace_back(i, comparedCell(options.columns[i], *options.comparison, *compared, *row.run));
        row.compared = std::make_shared<const RunRow::Compared>(std::move(cells));
    }
}

std::vector<Cell> cellsOf(const RunFacts& run, const ArrangeOptions& options) {
    std::vector<Cell> cells;
    cells.reserve(options.columns.size());
    for (const auto& column : options.columns) {
        const auto size = column.kind == Column::Kind::Size ? options.sizes.find(run.record.id) : options.sizes.end();
        cells.push_back(size == options.sizes.end() ? column.value(run) : numberCell(double(size->second)));
    }
    return cells;
}

}  // namespace

bool belongs(const Run& run, RunView view) {
    if (run.trashed > 0 || view == RunView::Deleted) return run.trashed > 0 && view == RunView::Deleted;
    if (view == RunView::All) return true;
    const Mark mark = markOf(run);
    if (view == RunView::Live)
        return mark == Mark::Queued || mark == Mark::Preparing || mark == Mark::Running || mark == Mark::Paused ||
               mark == Mark::Stopping;
    return mark == Mark::Failed || mark == Mark::Interrupted || mark == Mark::Paused || mark == Mark::Damaged;
}

/// Forgets the cells of other columns and sizes, and those of runs that the table does not have.
void KnownGroups::keepCells(const RunTable& table, const ArrangeOptions& options) {
    decltype(cells_) kept;
    if (options.columns == options_.columns && options.sizes == options_.sizes)
        for (const auto* runs : {&table.runs, &table.deleted})
            for (const RunPointer& run : *runs) kept.insert(cells_.extract(run));  // an empty node inserts nothing
    cells_ = std::move(kept);
}

const KnownGroups::Cells& KnownGroups::cellsOf(const RunPointer& run) {
    Cells& cells = cells_[run];
    if (!cells) cells = std::make_shared<const std::vector<Cell>>(ui::cellsOf(*run, options_));
    return cells;
}

const std::vector<GroupPointer>& KnownGroups::of(const RunTable& table, const ArrangeOptions& options) {
    const auto& runs = options.view == RunView::Deleted ? table.deleted : table.runs;
    const auto madeOf = [](const ArrangeOptions& o) {
        return std::tie(o.columns, o.sizes, o.grouping, o.use, o.view, o.comparison);
    };
    if (runs == runs_ && madeOf(options) == madeOf(options_)) return groups_;
    keepCells(table, options);
    options_ = options;
    runs_ = runs;
    group();
    return groups_;
}

void KnownGroups::group() {
    std::vector<std::shared_ptr<GroupSums>> groups;
    std::unordered_map<std::string, std::size_t> placeOf;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        const Run& run = runs_[i]->record;
        if (!belongs(run, options_.view)) continue;
        std::size_t place = groups.size();
        if (options_.grouping == Grouping::Settings) place = placeOf.try_emplace(run.groupKey, place).first->second;
        if (place == groups.size()) groups.emplace_back(std::make_shared<GroupSums>())->key = run.groupKey;
        groups[place]->rows.push_back({runs_[i], cellsOf(runs_[i]), {}, i});
    }
    if (options_.use == TableUse::Compare)
        for (const auto& one : groups) {
            summarise(*one, options_.columns);
            compare(*one, options_);
        }
    groups_.assign(groups.begin(), groups.end());
}

}  // namespace heddle::ui
