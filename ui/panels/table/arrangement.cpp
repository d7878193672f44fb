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

/// By column: the places of the runs that make the mean.
using Counted = std::vector<std::vector<std::size_t>>;

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

/// Takes what all runs of the group share.
void share(RunGroup& group, std::size_t column) {
    const Cell& first = group.rows.front().cell(column);
    if (std::all_of(group.rows.begin(), group.rows.end(),
                    [&](const RunRow& row) { return compareCells(row.cell(column), first) == 0; }))
        group.cells[column] = first;
    else
        group.differing.insert(column);
}

bool isMean(const Column& column) {
    using K = Column::Kind;
    return column.isMetric() || column.kind == K::Time || column.kind == K::Epochs || column.kind == K::Steps;
}

/// Returns which runs make the means.
Counted summarise(RunGroup& group, const std::vector<Column>& columns) {
    std::set<std::uint64_t> completed, seeds;
    for (const auto& row : group.rows) {
        const GroupMember member = memberOf(row.run->record);
        seeds.insert(member.seed);
        ++group.marks[markOf(row.run->record)];
        if (member.completed && !member.intervened) completed.insert(member.seed);
    }
    group.runs = int(group.rows.size());
    group.completed = int(completed.size());
    group.seeds = int(seeds.size());
    group.cells.resize(columns.size());
    group.spreads.resize(columns.size());
    const Members members = membersOf(group.rows, group.completed);
    Counted counted(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].kind == Column::Kind::Run) continue;  // setNames()
        if (columns[i].kind == Column::Kind::Seed)
            group.cells[i] = numberCell(group.completed);
        else if (isMean(columns[i])) {
            counted[i] = countedIn(group.rows, i, members);
            group.spreads[i] = spreadIn(group.rows, i, counted[i]);
            if (group.spreads[i]) group.cells[i] = numberCell(group.spreads[i]->mean);
        } else if (!columns[i].isCompared())
            share(group, i);
    }
    return counted;
}

/// Fills the columns of the comparison.
void compare(RunGroup& group, const ArrangeOptions& options) {
    const ComparedGroup* compared = options.comparison ? options.comparison->group(group.key) : nullptr;
    if (!compared) return;
    for (std::size_t i = 0; i < options.columns.size(); ++i) {
        const Column& column = options.columns[i];
        if (!column.isCompared()) continue;
        group.cells[i] = comparedCell(column, *options.comparison, *compared);
        for (RunRow& row : group.rows)
            row.compared.emplace_back(i, comparedCell(column, *options.comparison, *compared, *row.run));
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

/// Compares how the values were measured with those of the baseline's group, else of the first one that has some. `counted`: of
/// each group.
void findDoubts(Arrangement& arrangement, const std::vector<Counted>& counted) {
    const auto& columns = arrangement.options.columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!columns[i].isMetric()) continue;
        const RunGroup* first = nullptr;
        std::size_t place = 0;
        for (std::size_t g = 0; g < counted.size(); ++g) {
            const RunGroup& group = arrangement.groups[g];
            const bool isBetter = !first || (group.key == arrangement.options.baseline && first->key != group.key);
            if (counted[g][i].empty() || !isBetter) continue;
            first = &group;
            place = counted[g][i].front();
        }
        if (!first) continue;
        arrangement.references[i] = first->key;
        const Measured reference = *first->rows[place].run->measured(columns[i].key);
        for (std::size_t g = 0; g < counted.size(); ++g) {
            RunGroup& group = arrangement.groups[g];
            for (RunRow& row : group.rows)
                if (row.cell(i).isNumber)
                    for (const Unlike doubt : unlike(*row.run->measured(columns[i].key), reference))
                        row.doubts[i].insert(doubt);
            for (const std::size_t row : counted[g][i])
                if (const auto found = group.rows[row].doubts.find(i); found != group.rows[row].doubts.end())
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

std::vector<Cell> cellsOf(const RunPointer& run, const ArrangeOptions& options) {
    std::vector<Cell> cells;
    cells.reserve(options.columns.size());
    for (const auto& column : options.columns) {
        const auto size = column.kind == Column::Kind::Size ? options.sizes.find(run->record.id) : options.sizes.end();
        cells.push_back(size == options.sizes.end() ? column.value(*run) : numberCell(double(size->second)));
    }
    return cells;
}

void sort(std::vector<RunGroup>& groups, const ArrangeOptions& options) {
    const auto byPlace = [](const auto& a, const auto& b) { return a.place < b.place; };
    std::sort(groups.begin(), groups.end(), byPlace);
    for (auto& group : groups) std::sort(group.rows.begin(), group.rows.end(), byPlace);
    const auto column = std::size_t(options.sortColumn);
    if (column >= options.columns.size()) return;
    // The names of the runs of a group differ in the seed alone: the first column sorts by the seed.
    const bool bySeed = options.columns[column].kind == Column::Kind::Run;
    for (auto& group : groups)
        std::stable_sort(group.rows.begin(), group.rows.end(), [&](const RunRow& a, const RunRow& b) {
            if (bySeed) return a.run->record.seed < b.run->record.seed;
            return before(a.cell(column), b.cell(column), options.order);
        });
    const bool grouped = options.grouping == Grouping::Settings;
    std::stable_sort(groups.begin(), groups.end(), [&](const RunGroup& a, const RunGroup& b) {
        const Cell& left = grouped ? a.cells[column] : a.rows.front().cell(column);
        const Cell& right = grouped ? b.cells[column] : b.rows.front().cell(column);
        return before(left, right, options.order);
    });
}

void findPlaces(Arrangement& arrangement) {
    arrangement.places.clear();
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
    if (view == RunView::All) return true;
    const Mark mark = markOf(run);
    if (view == RunView::Live)
        return mark == Mark::Queued || mark == Mark::Preparing || mark == Mark::Running || mark == Mark::Paused ||
               mark == Mark::Stopping;
    return mark == Mark::Failed || mark == Mark::Interrupted || mark == Mark::Paused || mark == Mark::Damaged;
}

void KnownCells::begin(const ArrangeOptions& options) {
    if (columns_ == options.columns && sizes_ == options.sizes) return;
    columns_ = options.columns;
    sizes_ = options.sizes;
    known_.clear();
}

std::shared_ptr<const std::vector<Cell>> KnownCells::of(const RunPointer& run, const ArrangeOptions& options) {
    auto& cells = known_[run];
    if (!cells) cells = std::make_shared<const std::vector<Cell>>(cellsOf(run, options));
    return cells;
}

void KnownCells::keep(const RunTable& table) {
    decltype(known_) kept;
    for (const auto* runs : {&table.runs, &table.deleted})
        for (const RunPointer& run : *runs) kept.insert(known_.extract(run));  // an empty node inserts nothing
    known_ = std::move(kept);
}

Arrangement arrange(const RunTable& table, const ArrangeOptions& options) {
    KnownCells none;
    return arrange(table, options, none);
}

Arrangement arrange(const RunTable& table, const ArrangeOptions& options, KnownCells& known) {
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
        RunGroup& group = result.groups.emplace_back();
        group.key = runs[i]->record.groupKey;
        group.place = place->second;
    }
    const bool isCompare = options.use == TableUse::Compare;
    known.begin(options);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto found = groupOf.find(keyOf(runs[i]));
        if (found == groupOf.end() || (!fits[i] && !(isCompare && belongs(runs[i]->record, options.view)))) continue;
        result.groups[found->second].rows.push_back({runs[i], known.of(runs[i], options), {}, {}, fits[i], i});
    }
    if (isCompare) {
        std::vector<Counted> counted;
        for (auto& group : result.groups) {
            counted.push_back(summarise(group, options.columns));
            compare(group, options);
        }
        setNames(result);
        findDoubts(result, counted);
        for (auto& group : result.groups) std::erase_if(group.rows, [](const RunRow& row) { return !row.fits; });
    }
    sort(result.groups, options);
    findPlaces(result);
    return result;
}

Arrangement sorted(Arrangement arrangement, int column, Qt::SortOrder order) {
    arrangement.options.sortColumn = column;
    arrangement.options.order = order;
    sort(arrangement.groups, arrangement.options);
    findPlaces(arrangement);
    return arrangement;
}

}  // namespace heddle::ui
