// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/arrangement.h"

#include "engine/analysis/run_group.h"

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

/// The names of the groups of these rows, by their keys (engine/analysis/run_group.h).
std::unordered_map<std::string, QString> namesOf(const std::vector<RunGroup>& groups) {
    std::vector<GroupToName> toName;
    std::vector<std::vector<const RunFacts*>> runs;
    std::unordered_map<std::string, std::size_t> placeOf;
    for (const RunGroup& group : groups)
        for (const RunRow& row : group.sums->rows) {
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
    for (RunGroup& group : arrangement.groups) group.name = arrangement.names.at(group.key);
}

/// Compares how the values were measured with those of the baseline's group, else of the first one that has some.
void findDoubts(Arrangement& arrangement) {
    const auto& columns = arrangement.options.columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!columns[i].isMetric()) continue;
        const RunGroup* first = nullptr;
        for (const RunGroup& group : arrangement.groups) {
            const bool isBetter = !first || (group.key == arrangement.options.baseline && first->key != group.key);
            if (isBetter && !group.sums->counted[i].empty()) first = &group;
        }
        if (!first) continue;
        arrangement.references[i] = first->key;
        const auto measured = [&](const RunRow& row) -> const Measured& { return *row.run->measured(columns[i].key); };
        const Measured& reference = measured(first->sums->rows[first->sums->counted[i].front()]);
        const auto doubt = [&](const RunRow& row, Doubts& doubts) {
            for (const Unlike reason : unlike(measured(row), reference)) doubts[i].insert(reason);
        };
        for (RunGroup& group : arrangement.groups) {
            const Measured* all = group.sums->alike[i];
            if (all && unlike(*all, reference).empty()) continue;
            for (RunRow& row : group.rows)
                if (row.cell(i).isNumber) doubt(row, row.doubts);
            for (const std::size_t row : group.sums->counted[i]) doubt(group.sums->rows[row], group.doubts);
        }
    }
}

/// Empty cells stay last whichever way the rest is sorted.
bool before(const Cell& a, const Cell& b, Qt::SortOrder order) {
    if (a.isEmpty() || b.isEmpty()) return !a.isEmpty() && b.isEmpty();
    const int result = compareCells(a, b);
    return order == Qt::AscendingOrder ? result < 0 : result > 0;
}

constexpr auto byPlace = [](const auto& a, const auto& b) { return a.place < b.place; };

void sort(std::vector<RunGroup>& groups, const ArrangeOptions& options) {
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
        if (grouped && bySeed) return before(textCell(a.name), textCell(b.name), options.order);
        const Cell& left = grouped ? a.sums->cells[column] : a.rows.front().cell(column);
        const Cell& right = grouped ? b.sums->cells[column] : b.rows.front().cell(column);
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

Arrangement arrange(const RunTable& table, const ArrangeOptions& options) {
    KnownGroups none;
    return arrange(table, options, none);
}

Arrangement arrange(const RunTable& table, const ArrangeOptions& options, KnownGroups& known) {
    Arrangement result;
    result.options = options;
    result.of = std::int64_t(options.view == RunView::Deleted ? table.deleted.size() : table.runs.size());
    const RunFilter filter = RunFilter::parse(options.filter, table);
    result.error = filter.error();
    for (const GroupPointer& sums : known.of(table, options)) {
        RunGroup group;
        for (const RunRow& row : sums->rows)
            if (filter.fits(*row.run)) group.rows.push_back(row);
        if (group.rows.empty()) continue;
        result.shown += std::int64_t(group.rows.size());
        group.key = sums->key;
        group.sums = sums;
        group.place = group.rows.front().place;
        result.groups.push_back(std::move(group));
    }
    std::sort(result.groups.begin(), result.groups.end(), byPlace);
    if (options.use == TableUse::Compare) {
        setNames(result);
        findDoubts(result);
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
