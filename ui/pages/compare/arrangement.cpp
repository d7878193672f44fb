// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/arrangement.h"

#include <algorithm>

namespace heddle::ui {
namespace {

bool isCompleted(const RunRow& row) { return row.run->record.state == "completed"; }

/// The mean of the completed runs that have the value; of all that have it where none is completed.
std::pair<Cell, int> meanOf(const std::vector<RunRow>& rows, std::size_t column, int completed) {
    double sum = 0;
    int n = 0;
    for (const auto& row : rows)
        if (row.cells[column].isNumber && (completed == 0 || isCompleted(row))) {
            sum += row.cells[column].number;
            ++n;
        }
    return {n ? numberCell(sum / n) : Cell(), n};
}

Cell sharedBy(const std::vector<RunRow>& rows, std::size_t column) {
    const Cell& first = rows.front().cells[column];
    const bool same =
        std::all_of(rows.begin(), rows.end(), [&](const RunRow& row) { return compareCells(row.cells[column], first) == 0; });
    return same ? first : Cell();
}

bool isMean(const Column& column) {
    using K = Column::Kind;
    return column.kind == K::Best || column.kind == K::Last || column.kind == K::Time || column.kind == K::Epochs ||
           column.kind == K::Steps;
}

void summarise(RunGroup& group, const std::vector<Column>& columns) {
    group.completed = int(std::count_if(group.rows.begin(), group.rows.end(), isCompleted));
    const auto newest = std::max_element(group.rows.begin(), group.rows.end(), [](const RunRow& a, const RunRow& b) {
        return a.run->record.created < b.run->record.created;
    });
    group.name = QString::fromStdString(newest->run->record.name);
    if (group.name.isEmpty()) group.name = QString::fromStdString(newest->run->record.id);
    group.cells.resize(columns.size());
    group.counts.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].kind == Column::Kind::Run)
            group.cells[i] = textCell(group.name);
        else if (columns[i].kind == Column::Kind::Seed)
            group.cells[i] = numberCell(group.completed);
        else if (isMean(columns[i]))
            std::tie(group.cells[i], group.counts[i]) = meanOf(group.rows, i, group.completed);
        else
            group.cells[i] = sharedBy(group.rows, i);
    }
}

/// Empty cells stay last whichever way the rest is sorted.
bool before(const Cell& a, const Cell& b, SortOrder order) {
    if (a.isEmpty() || b.isEmpty()) return !a.isEmpty() && b.isEmpty();
    const int result = compareCells(a, b);
    return order == SortOrder::Ascending ? result < 0 : result > 0;
}

RunRow rowOf(const RunPointer& run, const std::vector<Column>& columns) {
    RunRow row{run, {}};
    row.cells.reserve(columns.size());
    for (const auto& column : columns) row.cells.push_back(column.value(*run));
    return row;
}

void sort(std::vector<RunGroup>& groups, const ArrangeOptions& options) {
    const auto column = std::size_t(options.sortColumn);
    if (column >= options.columns.size()) return;
    // Within a variant the runs' names say nothing: the first column orders them by seed.
    const bool bySeed = options.columns[column].kind == Column::Kind::Run;
    for (auto& group : groups)
        std::stable_sort(group.rows.begin(), group.rows.end(), [&](const RunRow& a, const RunRow& b) {
            if (bySeed) return a.run->record.seed < b.run->record.seed;
            return before(a.cells[column], b.cells[column], options.order);
        });
    const bool grouped = options.grouping == Grouping::Variant;
    std::stable_sort(groups.begin(), groups.end(), [&](const RunGroup& a, const RunGroup& b) {
        const auto& left = grouped ? a.cells : a.rows.front().cells;
        const auto& right = grouped ? b.cells : b.rows.front().cells;
        return before(left[column], right[column], options.order);
    });
}

void findPlaces(Arrangement& arrangement) {
    for (int g = 0; g < int(arrangement.groups.size()); ++g) {
        const auto& group = arrangement.groups[std::size_t(g)];
        const bool grouped = arrangement.options.grouping == Grouping::Variant;
        arrangement.places.try_emplace(Arrangement::groupKey(group.hash), Arrangement::Place{g, -1});
        for (int r = 0; r < int(group.rows.size()); ++r)
            arrangement.places[group.rows[std::size_t(r)].run->record.id] = {g, grouped ? r : -1};
    }
}

}  // namespace

Arrangement arrange(const RunTable& table, const ArrangeOptions& options) {
    Arrangement result;
    result.options = options;
    result.of = std::int64_t(table.runs.size());
    const RunFilter filter = RunFilter::parse(options.filter, table);
    result.error = filter.error();
    std::unordered_map<std::string, std::size_t> groupOf;
    for (const auto& run : table.runs) {
        if (!filter.fits(*run)) continue;
        ++result.shown;
        const std::string key = options.grouping == Grouping::Variant ? run->record.variantHash : run->record.id;
        const auto [place, isNew] = groupOf.emplace(key, result.groups.size());
        if (isNew) {
            result.groups.emplace_back();
            result.groups.back().hash = run->record.variantHash;
        }
        result.groups[place->second].rows.push_back(rowOf(run, options.columns));
    }
    for (auto& group : result.groups) summarise(group, options.columns);
    sort(result.groups, options);
    findPlaces(result);
    return result;
}

}  // namespace heddle::ui
