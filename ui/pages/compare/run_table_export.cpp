// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/run_table_export.h"

#include "ui/data/studio.h"
#include "ui/panels/table/compared_cells.h"
#include "ui/text/number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

using ExportedRow = std::vector<std::string>;

/// Translates words outside of a QObject, in a context that lupdate finds.
struct ExportWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::RunTableExport)
};

std::string plain(double value) {
    if (std::isnan(value)) return "NaN";
    return QLocale::c().toString(value, 'g', QLocale::FloatingPointShortest).toStdString();
}

ExportedRow headOf(const Column& column) {
    const std::string id = column.id().toStdString();
    if (column.kind == Column::Kind::Published) return {id, id + ".source", id + ".differs"};
    if (!column.isMetric()) return {id};
    return {id, id + ".step", id + ".n", id + ".signature"};
}

/// The value as stored, the difference to the baseline, or why the run is left out.
std::string comparedValue(const Column& column, const RunFacts& run, const StudyComparison* comparison) {
    const ComparedGroup* group = comparison ? comparison->group(run.record.groupKey) : nullptr;
    if (!group) return "";
    const Cell cell = comparedCell(column, *comparison, *group, run);
    return cell.isNumber ? plain(cell.number / comparison->scale) : cell.text.toStdString();
}

/// The group's published values as stored, their sources, and how the run differs from each paper; "; " between several.
ExportedRow publishedValues(const RunFacts& run, const StudyComparison* comparison) {
    const ComparedGroup* group = comparison ? comparison->group(run.record.groupKey) : nullptr;
    if (!group || group->published.empty() || !isReproduced(run.record)) return {"", "", ""};
    ExportedRow row{"", "", ""};
    for (const PublishedValue& value : group->published) {
        const ExportedRow one{plain(value.value), value.source, fmt::format("{}", fmt::join(value.differs, " "))};
        const bool isFirst = &value == &group->published.front();
        for (std::size_t i = 0; i < row.size(); ++i) row[i] += (isFirst ? "" : "; ") + one[i];
    }
    return row;
}

ExportedRow valuesOf(const Column& column, const RunFacts& run, const StudyComparison* comparison) {
    if (column.kind == Column::Kind::Published) return publishedValues(run, comparison);
    if (column.isCompared()) return {comparedValue(column, run, comparison)};
    const Cell cell = column.value(run);
    std::string value =
        cell.isNumber ? plain(cell.number / (column.isMetric() ? metricScale(column.key) : 1)) : cell.text.toStdString();
    if (column.kind == Column::Kind::Tag) value = cell.text.toStdString();  // as it is written
    if (column.kind == Column::Kind::State) value = run.record.state;
    if (column.kind == Column::Kind::Seed) value = std::to_string(run.record.seed);
    if (!column.isMetric()) return {value};
    const auto found = run.metrics.find(column.key);
    if (found == run.metrics.end()) return {"", "", "", ""};
    const MetricSummary& m = found->second;
    return {value, std::to_string(column.kind == Column::Kind::Best ? m.bestStep : m.lastStep), std::to_string(m.n),
            m.signature};
}

QString titleOf(const Column& column, const ArrangeOptions& options) {
    const Grouping grouping = options.grouping;
    if (column.isCompared() && options.comparison) return comparedTitle(column, *options.comparison);
    if (column.kind == Column::Kind::Run)
        return grouping == Grouping::Settings ? ExportWords::tr("Group") : ExportWords::tr("Run");
    if (column.kind == Column::Kind::Best) return ExportWords::tr("%1, best").arg(column.title());
    return column.kind == Column::Kind::Last ? ExportWords::tr("%1, last").arg(column.title()) : column.title();
}

/// Whether papers have no use for the column.
bool isOfScreen(const Column& column) { return column.kind == Column::Kind::State || column.kind == Column::Kind::Interval; }

/// The cell of a group, or of the run that stands for itself.
QString textOf(const RunGroup& group, std::size_t place, const ArrangeOptions& options) {
    const Column& column = options.columns[place];
    const GroupSums& sums = *group.sums;
    const Grouping grouping = options.grouping;
    const RunFacts& first = *group.rows.front().run;
    if (column.isCompared() && options.comparison) {
        const bool isGroup = grouping == Grouping::Settings;
        const Cell& cell = isGroup ? sums.cells[place] : group.rows.front().cell(place);
        const bool isOfGroup = isGroup || column.kind == Column::Kind::Published;
        return comparedText(column, cell, *options.comparison, isOfGroup ? options.comparison->group(group.key) : nullptr);
    }
    if (column.kind == Column::Kind::Run) return grouping == Grouping::None ? runLabel(first.record) : group.name;
    if (grouping == Grouping::None && column.kind == Column::Kind::Seed) return count(qint64(first.record.seed));
    if (column.kind == Column::Kind::Seed && sums.completed != sums.seeds)
        return ExportWords::tr("%1 of %2").arg(count(sums.completed), count(sums.seeds));
    QString text = column.text(sums.cells[place]);
    const auto& spread = sums.spreads[place];
    if (column.isMetric() && spread && spread->deviation)
        text = ExportWords::tr("%1 ± %2").arg(text, column.text(numberCell(*spread->deviation)));
    return group.doubts.contains(place) ? text + QLatin1Char(' ') + kNotComparable : text;
}

/// A sentence for each published value of the table.
QStringList publishedNotes(const Arrangement& arrangement) {
    QStringList notes;
    for (const RunGroup& group : arrangement.groups) {
        const StudyComparison* comparison = arrangement.options.comparison.get();
        const ComparedGroup* compared = comparison ? comparison->group(group.key) : nullptr;
        for (const PublishedValue& value : compared ? compared->published : std::vector<PublishedValue>()) {
            const QString note = ExportWords::tr("Published: %1", "source, value, conditions").arg(publishedText(value));
            if (!notes.contains(note)) notes << note;
        }
    }
    return notes;
}

}  // namespace

ExportedTable runsTable(const std::vector<RunPointer>& runs, const std::vector<Column>& columns,
                        const StudyComparison* comparison) {
    ExportedTable table{{"id", "variant_hash"}, {}, 2};
    for (const auto& column : columns)
        for (auto& name : headOf(column)) table.columns.push_back(std::move(name));
    for (const auto& run : runs) {
        ExportedRow& row = table.rows.emplace_back(ExportedRow{run->record.id, run->record.variantHash});
        for (const auto& column : columns)
            for (auto& value : valuesOf(column, *run, comparison)) row.push_back(std::move(value));
    }
    return table;
}

ExportedTable groupsTable(const Arrangement& arrangement) {
    const auto& columns = arrangement.options.columns;
    const Grouping grouping = arrangement.options.grouping;
    const bool hasSeeds = grouping == Grouping::Settings;
    ExportedTable table;
    std::set<Unlike> doubts;
    for (const Column& column : columns) {
        if (isOfScreen(column)) continue;
        table.columns.push_back(titleOf(column, arrangement.options).toStdString());
        if (column.isMetric() && hasSeeds) table.columns.push_back(ExportWords::tr("seeds").toStdString());
    }
    for (const RunGroup& group : arrangement.groups) {
        ExportedRow& row = table.rows.emplace_back();
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (isOfScreen(columns[i])) continue;
            row.push_back(textOf(group, i, arrangement.options).toStdString());
            if (const auto found = group.doubts.find(i); found != group.doubts.end())
                doubts.insert(found->second.begin(), found->second.end());
            if (columns[i].isMetric() && hasSeeds)
                row.push_back(count(qint64(group.sums->spreads[i] ? group.sums->spreads[i]->n : 0)).toStdString());
        }
    }
    QStringList note;
    if (hasSeeds) note << ExportWords::tr("Mean ± standard deviation over seeds.");
    if (const auto& comparison = arrangement.options.comparison; comparison && !comparison->baseline.empty())
        note << comparisonNote(*comparison, arrangement.names) + QLatin1Char('.');
    if (std::any_of(columns.begin(), columns.end(), [](const auto& one) { return one.kind == Column::Kind::Published; }))
        note << publishedNotes(arrangement);
    if (!doubts.empty())
        note << ExportWords::tr("%1 not comparable with the other values: %2.").arg(kNotComparable).arg(doubtWords(doubts));
    table.note = note.join(QLatin1Char(' ')).toStdString();
    return table;
}

std::string exportOf(const Arrangement& arrangement, TableFormat format) {
    if (format == TableFormat::Markdown || format == TableFormat::Latex) return tableText(groupsTable(arrangement), format);
    std::vector<RunPointer> runs;
    for (const auto& group : arrangement.groups)
        for (const auto& row : group.rows) runs.push_back(row.run);
    return tableText(runsTable(runs, arrangement.options.columns, arrangement.options.comparison.get()), format);
}

}  // namespace heddle::ui
