// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/arrangement.h"

#include "engine/analysis/run_group.h"
#include "ui/data/run_database.h"
#include "ui/data/studio.h"
#include "ui/panels/table/compared_cells.h"

#include <algorithm>
#include <set>
#include <utility>

namespace heddle::ui {
namespace {

/// The places of the runs that count (countedRuns()) among those that have the value.
std::vector<std::size_t> countedIn(const std::vector<RunRow>& rows, std::size_t column, int completed) {
    std::vector<GroupMember> members;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const GroupMember member = memberOf(rows[i].run->record);
        if (!rows[i].cells[column].isNumber || (completed > 0 && !member.completed) || (rows.size() > 1 && member.intervened))
            continue;
        members.push_back(member);
        places.push_back(i);
    }
    std::vector<std::size_t> counted;
    for (const std::size_t place : countedRuns(members)) counted.push_back(places[place]);
    return counted;
}

/// Summarises the runs that count; nothing where none has the value.
std::optional<Spread> spreadIn(const std::vector<RunRow>& rows, std::size_t column, int completed) {
    std::vector<double> counted;
    for (const std::size_t place : countedIn(rows, column, completed)) counted.push_back(rows[place].cells[column].number);
    return counted.empty() ? std::nullopt : std::optional(spreadOf(counted));
}

Cell sharedBy(const std::vector<RunRow>& rows, std::size_t column) {
    const Cell& first = rows.front().cells[column];
    const bool same =
        std::all_of(rows.begin(), rows.end(), [&](const RunRow& row) { return compareCells(row.cells[column], first) == 0; });
    return same ? first : Cell();
}

bool isMean(const Column& column) {
    using K = Column::Kind;
    return column.isMetric() || column.kind == K::Time || column.kind == K::Epochs || column.kind == K::Steps;
}

void summarise(RunGroup& group, const std::vector<Column>& columns) {
    std::set<std::uint64_t> completed, seeds;
    for (const auto& row : group.rows) {
        const GroupMember member = memberOf(row.run->record);
        seeds.insert(member.seed);
        if (member.completed && !member.intervened) completed.insert(member.seed);
    }
    group.runs = int(group.rows.size());
    group.completed = int(completed.size());
    group.seeds = int(seeds.size());
    group.cells.resize(columns.size());
    group.spreads.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].kind == Column::Kind::Run) continue;  // setNames()
        if (columns[i].kind == Column::Kind::Seed)
            group.cells[i] = numberCell(group.completed);
        else if (isMean(columns[i])) {
            group.spreads[i] = spreadIn(group.rows, i, group.completed);
            if (group.spreads[i]) group.cells[i] = numberCell(group.spreads[i]->mean);
        } else if (!columns[i].isCompared())
            group.cells[i] = sharedBy(group.rows, i);
    }
}

/// Fills the columns of the comparison.
void compare(RunGroup& group, const ArrangeOptions& options) {
    const ComparedGroup* compared = options.comparison ? options.comparison->group(group.key) : nullptr;
    if (!compared) return;
    for (std::size_t i = 0; i < options.columns.size(); ++i) {
        const Column& column = options.columns[i];
        if (!column.isCompared()) continue;
        group.cells[i] = comparedCell(column, *options.comparison, *compared);
        for (RunRow& row : group.rows) row.cells[i] = comparedCell(column, *options.comparison, *compared, *row.run);
    }
}

/// The names of the groups of these rows, by their keys (engine/analysis/run_group.h).
std::unordered_map<std::string, QString> namesOf(const std::vector<RunGroup>& groups) {
    std::vector<GroupToName> toName;
    std::vector<std::vector<const RunFacts*>> runs;
    std::unordered_map<std::string, std::size_t> placeOf;
    for (const RunGroup& group : groups)
        for (const RunRow& row : group.rows) {
            const auto [place, isNew] = placeOf.emplace(row.run->record.groupKey, runs.size());
            if (isNew) runs.emplace_back();
            runs[place->second].push_back(row.run.get());
        }
    for (auto& ofGroup : runs) {
        std::stable_sort(ofGroup.begin(), ofGroup.end(),
                         [](const auto* a, const auto* b) { return a->record.created < b->record.created; });
        GroupToName& group = toName.emplace_back();
        group.key = ofGroup.front()->record.groupKey;
        group.firstRun = ofGroup.front()->record.id;
        for (const RunFacts* run : ofGroup) group.names.push_back(run->record.name);
    }
    const auto names = groupNames(
        toName, [&](std::size_t i) { return std::pair(runs[i].front()->settingsDocument(), runs[i].front()->contents); });
    std::unordered_map<std::string, QString> byKey;
    for (std::size_t i = 0; i < names.size(); ++i) byKey[toName[i].key] = QString::fromStdString(names[i]);
    return byKey;
}

void setNames(Arrangement& arrangement) {
    arrangement.names = namesOf(arrangement.groups);
    const auto& columns = arrangement.options.columns;
    for (RunGroup& group : arrangement.groups) {
        group.name = arrangement.names.at(group.key);
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (columns[i].kind == Column::Kind::Run) group.cells[i] = textCell(group.name);
    }
}

/// Compares how the values were measured with those of the baseline's group, else of the first one that has some.
void findDoubts(Arrangement& arrangement) {
    const auto& columns = arrangement.options.columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!columns[i].isMetric()) continue;
        const RunGroup* first = nullptr;
        std::size_t place = 0;
        for (const RunGroup& group : arrangement.groups) {
            const auto counted = countedIn(group.rows, i, group.completed);
            const bool isBetter = !first || (group.key == arrangement.options.baseline && first->key != group.key);
            if (counted.empty() || !isBetter) continue;
            first = &group;
            place = counted.front();
        }
        if (!first) continue;
        arrangement.references[i] = first->key;
        const Measured reference = *first->rows[place].run->measured(columns[i].key);
        for (RunGroup& group : arrangement.groups) {
            for (RunRow& row : group.rows)
                if (row.cells[i].isNumber)
                    for (const Unlike doubt : unlike(*row.run->measured(columns[i].key), reference))
                        row.doubts[i].insert(doubt);
            for (const std::size_t counted : countedIn(group.rows, i, group.completed))
                if (const auto found = group.rows[counted].doubts.find(i); found != group.rows[counted].doubts.end())
                    group.doubts[i].insert(found->second.begin(), found->second.end());
        }
    }
}

/// Empty cells stay last whichever way the rest is sorted.
bool before(const Cell& a, const Cell& b, Qt::SortOrder order) {
    if (a.isEmpty() || b.isEmpty()) return !a.isEmpty() && b.isEmpty();
    const int result = compareCells(a, b);
    return order == Qt::AscendingOrder ? result < 0 : result > 0;
}

RunRow rowOf(const RunPointer& run, const ArrangeOptions& options) {
    RunRow row{run, {}, {}};
    row.cells.reserve(options.columns.size());
    for (const auto& column : options.columns) {
        const auto size = column.kind == Column::Kind::Size ? options.sizes.find(run->record.id) : options.sizes.end();
        row.cells.push_back(size == options.sizes.end() ? column.value(*run) : numberCell(double(size->second)));
    }
    return row;
}

void sort(std::vector<RunGroup>& groups, const ArrangeOptions& options) {
    const auto column = std::size_t(options.sortColumn);
    if (column >= options.columns.size()) return;
    // The names of the runs of a group differ in the seed alone: the first column sorts by the seed.
    const bool bySeed = options.columns[column].kind == Column::Kind::Run;
    for (auto& group : groups)
        std::stable_sort(group.rows.begin(), group.rows.end(), [&](const RunRow& a, const RunRow& b) {
            if (bySeed) return a.run->record.seed < b.run->record.seed;
            return before(a.cells[column], b.cells[column], options.order);
        });
    const bool grouped = options.grouping == Grouping::Settings;
    std::stable_sort(groups.begin(), groups.end(), [&](const RunGroup& a, const RunGroup& b) {
        const auto& left = grouped ? a.cells : a.rows.front().cells;
        const auto& right = grouped ? b.cells : b.rows.front().cells;
        return before(left[column], right[column], options.order);
    });
}

void findPlaces(Arrangement& arrangement) {
    for (int g = 0; g < int(arrangement.groups.size()); ++g) {
        const auto& group = arrangement.groups[std::size_t(g)];
        const bool grouped = arrangement.options.grouping == Grouping::Settings;
        arrangement.places.try_emplace(Arrangement::groupKey(group.key), Arrangement::Place{g, -1});
        for (int r = 0; r < int(group.rows.size()); ++r)
            arrangement.places[Arrangement::runKey(group.rows[std::size_t(r)].run->record.ref)] = {g, grouped ? r : -1};
    }
}

}  // namespace

bool belongs(const Run& run, RunView view) {
    if (run.trashed > 0 || view == RunView::Deleted) return run.trashed > 0 && view == RunView::Deleted;
    const Mark mark = markOf(run);
    if (view == RunView::Live)
        return mark == Mark::Queued || mark == Mark::Preparing || mark == Mark::Running || mark == Mark::Paused ||
               mark == Mark::Stopping;
    return view == RunView::All || mark == Mark::Failed || mark == Mark::Interrupted || mark == Mark::Paused ||
           mark == Mark::Damaged;
}

Arrangement arrange(const RunTable& table, const ArrangeOptions& options) {
    Arrangement result;
    result.options = options;
    const auto& runs = options.view == RunView::Deleted ? table.deleted : table.runs;
    result.of = std::int64_t(runs.size());
    const RunFilter filter = RunFilter::parse(options.filter, table);
    result.error = filter.error();
    const auto keyOf = [&](const RunPointer& run) {
        return options.grouping == Grouping::Settings ? run->record.groupKey : Arrangement::runKey(run->record.ref);
    };
    std::unordered_map<std::string, std::size_t> groupOf;
    std::vector<bool> fits(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        fits[i] = belongs(runs[i]->record, options.view) && filter.fits(*runs[i]);
        if (!fits[i]) continue;
        ++result.shown;
        const auto [place, isNew] = groupOf.emplace(keyOf(runs[i]), result.groups.size());
        if (!isNew) continue;
        result.groups.emplace_back();
        result.groups.back().key = runs[i]->record.groupKey;
    }
    const bool isCompare = options.use == TableUse::Compare;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto found = groupOf.find(keyOf(runs[i]));
        if (found == groupOf.end() || (!fits[i] && !(isCompare && belongs(runs[i]->record, options.view)))) continue;
        result.groups[found->second].rows.push_back(rowOf(runs[i], options));
        result.groups[found->second].rows.back().fits = fits[i];
    }
    if (isCompare) {
        for (auto& group : result.groups) {
            summarise(group, options.columns);
            compare(group, options);
        }
        setNames(result);
        findDoubts(result);
        for (auto& group : result.groups) std::erase_if(group.rows, [](const RunRow& row) { return !row.fits; });
    }
    sort(result.groups, options);
    findPlaces(result);
    return result;
}

}  // namespace heddle::ui
