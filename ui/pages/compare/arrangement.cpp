// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/arrangement.h"

#include "engine/analysis/run_group.h"
#include "ui/data/run_group.h"

#include <QStringList>

#include <algorithm>
#include <map>
#include <set>

namespace heddle::ui {
namespace {

/// Summarises the runs that count (countedRuns()) among those that have the value; nothing where none has it.
std::optional<Spread> spreadIn(const std::vector<RunRow>& rows, std::size_t column, int completed) {
    std::vector<GroupMember> members;
    std::vector<double> values;
    for (const auto& row : rows) {
        const GroupMember member = memberOf(row.run->record);
        if (!row.cells[column].isNumber || (completed > 0 && !member.completed) || (rows.size() > 1 && member.intervened))
            continue;
        members.push_back(member);
        values.push_back(row.cells[column].number);
    }
    std::vector<double> counted;
    for (const std::size_t place : countedRuns(members)) counted.push_back(values[place]);
    return counted.empty() ? std::nullopt : std::optional(spreadOf(counted));
}

Cell sharedBy(const std::vector<RunRow>& rows, std::size_t column) {
    const Cell& first = rows.front().cells[column];
    const bool same =
        std::all_of(rows.begin(), rows.end(), [&](const RunRow& row) { return compareCells(row.cells[column], first) == 0; });
    return same ? first : Cell();
}

/// What the names of the runs share, in the order in which they were made.
QString nameOf(const std::vector<RunRow>& rows) {
    std::vector<const Run*> runs;
    for (const RunRow& row : rows) runs.push_back(&row.run->record);
    std::stable_sort(runs.begin(), runs.end(), [](const Run* a, const Run* b) { return a->created < b->created; });
    std::vector<std::string> names;
    for (const Run* run : runs) names.push_back(run->name);
    const std::string name = sharedName(names);
    return QString::fromStdString(name.empty() ? runs.front()->id : name);
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
    group.completed = int(completed.size());
    group.seeds = int(seeds.size());
    group.name = nameOf(group.rows);
    group.cells.resize(columns.size());
    group.spreads.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].kind == Column::Kind::Run)
            group.cells[i] = textCell(group.name);
        else if (columns[i].kind == Column::Kind::Seed)
            group.cells[i] = numberCell(group.completed);
        else if (isMean(columns[i])) {
            group.spreads[i] = spreadIn(group.rows, i, group.completed);
            if (group.spreads[i]) group.cells[i] = numberCell(group.spreads[i]->mean);
        } else
            group.cells[i] = sharedBy(group.rows, i);
    }
}

/// "lr 0.01", or "valid.source dev.tsv (1f2e3d4c)" where files differ in their contents.
QString textOf(const Distinction& distinction) {
    const QString path = QString::fromStdString(shortPath(distinction.path));
    if (distinction.content.empty()) return QStringLiteral("%1 %2").arg(path, settingText(distinction.value));
    return QStringLiteral("%1 %2").arg(path, fileText(distinction.value, distinction.content));
}

/// Adds to equal names of groups what sets them apart, else their key.
void nameApart(std::vector<RunGroup>& groups, const std::vector<Column>& columns) {
    std::map<QString, std::vector<std::size_t>> named;
    for (std::size_t i = 0; i < groups.size(); ++i) named[groups[i].name].push_back(i);
    for (const auto& [name, places] : named) {
        if (places.size() < 2) continue;
        std::vector<Json> documents;
        std::vector<FileContents> contents;
        for (const std::size_t place : places) {
            documents.push_back(groups[place].rows.front().run->settingsDocument());
            contents.push_back(groups[place].rows.front().run->contents);
        }
        const auto apart = setApart(documents, contents);
        std::map<QString, int> taken;
        for (std::size_t k = 0; k < places.size(); ++k) {
            QStringList parts{name};
            for (const Distinction& distinction : apart[k]) parts << textOf(distinction);
            RunGroup& group = groups[places[k]];
            group.name = parts.join(QStringLiteral(" · "));
            ++taken[group.name];
        }
        for (const std::size_t place : places) {
            RunGroup& group = groups[place];
            if (taken[group.name] > 1) group.name += QStringLiteral(" · ") + QString::fromStdString(group.key).right(6);
            for (std::size_t i = 0; i < columns.size(); ++i)
                if (columns[i].kind == Column::Kind::Run) group.cells[i] = textCell(group.name);
        }
    }
}

/// Empty cells stay last whichever way the rest is sorted.
bool before(const Cell& a, const Cell& b, Qt::SortOrder order) {
    if (a.isEmpty() || b.isEmpty()) return !a.isEmpty() && b.isEmpty();
    const int result = compareCells(a, b);
    return order == Qt::AscendingOrder ? result < 0 : result > 0;
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
        const std::string key =
            options.grouping == Grouping::Settings ? run->record.groupKey : Arrangement::runKey(run->record.ref);
        const auto [place, isNew] = groupOf.emplace(key, result.groups.size());
        if (isNew) {
            result.groups.emplace_back();
            result.groups.back().key = run->record.groupKey;
        }
        result.groups[place->second].rows.push_back(rowOf(run, options.columns));
    }
    for (auto& group : result.groups) summarise(group, options.columns);
    if (options.grouping == Grouping::Settings) nameApart(result.groups, options.columns);
    sort(result.groups, options);
    findPlaces(result);
    return result;
}

}  // namespace heddle::ui
