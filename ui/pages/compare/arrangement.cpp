// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/arrangement.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <set>

namespace heddle::ui {
namespace {

bool isIntervened(const RunRow& row) { return row.run->record.intervened >= 0; }
bool isCompleted(const RunRow& row) { return row.run->record.state == "completed" && !isIntervened(row); }

/// Summarises the completed runs that have the value; where no run is completed, all that have it; nothing where none has it.
/// Leaves out runs whose training was changed by interventions, except a run that is alone.
std::optional<Spread> spreadIn(const std::vector<RunRow>& rows, std::size_t column, int completed) {
    std::vector<double> values;
    std::set<std::string> seen;  // a run may be in two databases
    for (const auto& row : rows)
        if (row.cells[column].isNumber && (completed == 0 || isCompleted(row)) && (rows.size() == 1 || !isIntervened(row)) &&
            seen.insert(row.run->record.id).second)
            values.push_back(row.cells[column].number);
    return values.empty() ? std::nullopt : std::optional(spreadOf(values));
}

Cell sharedBy(const std::vector<RunRow>& rows, std::size_t column) {
    const Cell& first = rows.front().cells[column];
    const bool same =
        std::all_of(rows.begin(), rows.end(), [&](const RunRow& row) { return compareCells(row.cells[column], first) == 0; });
    return same ? first : Cell();
}

/// Returns the common beginning of the runs' names without a trailing seed: "full" for "full-s1" and "full-s2". Returns a name
/// that all share as it is, and nothing if the names share less than half of the first.
QString sharedName(const std::vector<RunRow>& rows) {
    QString first = QString::fromStdString(rows.front().run->record.name);
    QString shared = first;
    for (const RunRow& row : rows) {
        const QString name = QString::fromStdString(row.run->record.name);
        const auto differ = std::mismatch(shared.cbegin(), shared.cend(), name.cbegin(), name.cend());
        shared.truncate(differ.first - shared.cbegin());
    }
    const bool isOne = std::all_of(rows.begin(), rows.end(),
                                   [&](const RunRow& row) { return row.run->record.name == rows.front().run->record.name; });
    if (isOne) return first;
    if (2 * shared.size() < first.size()) return {};
    static const QRegularExpression kSeed(QStringLiteral("[-_ .,]+(s|seed)?[-_ .]*\\d*$"));
    return shared.remove(kSeed);
}

bool isMean(const Column& column) {
    using K = Column::Kind;
    return column.isMetric() || column.kind == K::Time || column.kind == K::Epochs || column.kind == K::Steps;
}

void summarise(RunGroup& group, const std::vector<Column>& columns) {
    std::set<std::string> completed;
    for (const auto& row : group.rows)
        if (isCompleted(row)) completed.insert(row.run->record.id);
    group.completed = int(completed.size());
    const auto first = std::min_element(group.rows.begin(), group.rows.end(), [](const RunRow& a, const RunRow& b) {
        return a.run->record.created < b.run->record.created;
    });
    group.name = sharedName(group.rows);
    if (group.name.isEmpty()) group.name = QString::fromStdString(first->run->record.name);
    if (group.name.isEmpty()) group.name = QString::fromStdString(first->run->record.id);
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

/// "dims.f 512": the variant's setting in which a group differs from another of the same name; empty where none is found.
QString distinction(const RunGroup& group, const RunGroup& other) {
    const auto &mine = group.rows.front().run->variant, &theirs = other.rows.front().run->variant;
    if (!mine || !theirs) return {};
    for (const auto& [path, value] : *mine) {
        const auto found = theirs->find(path);
        if (found != theirs->end() && found->second == value) continue;
        return QStringLiteral("%1 %2").arg(shownPath(path), settingText(value));
    }
    return {};
}

/// Adds to equal names of variants what differs between them, else their hash.
void nameApart(std::vector<RunGroup>& groups, const std::vector<Column>& columns) {
    std::map<QString, std::vector<std::size_t>> named;
    for (std::size_t i = 0; i < groups.size(); ++i) named[groups[i].name].push_back(i);
    for (const auto& [name, places] : named) {
        if (places.size() < 2) continue;
        for (std::size_t k = 0; k < places.size(); ++k) {
            RunGroup& group = groups[places[k]];
            const QString what = distinction(group, groups[places[k == 0 ? 1 : 0]]);
            group.name =
                QStringLiteral("%1 · %2").arg(name, what.isEmpty() ? QString::fromStdString(group.hash.substr(0, 6)) : what);
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
    // The names of the runs of a variant differ in the seed alone: the first column sorts by the seed.
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
            options.grouping == Grouping::Variant ? run->record.variantHash : Arrangement::runKey(run->record.ref);
        const auto [place, isNew] = groupOf.emplace(key, result.groups.size());
        if (isNew) {
            result.groups.emplace_back();
            result.groups.back().hash = run->record.variantHash;
        }
        result.groups[place->second].rows.push_back(rowOf(run, options.columns));
    }
    for (auto& group : result.groups) summarise(group, options.columns);
    if (options.grouping == Grouping::Variant) nameApart(result.groups, options.columns);
    sort(result.groups, options);
    findPlaces(result);
    return result;
}

}  // namespace heddle::ui
