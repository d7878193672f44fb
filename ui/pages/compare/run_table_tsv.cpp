// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/run_table_tsv.h"

#include "engine/base/table_cell.h"

#include <QLocale>
#include <QStringList>

#include <cmath>

namespace heddle::ui {
namespace {

QString plain(double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    return QLocale::c().toString(value, 'g', QLocale::FloatingPointShortest);
}

QString field(const QString& text) { return QString::fromStdString(tableCell(text.toStdString())); }

QStringList headOf(const Column& column) {
    const QString id = column.id();
    if (!column.isMetric()) return {id};
    return {id, id + QStringLiteral(".step"), id + QStringLiteral(".n"), id + QStringLiteral(".signature")};
}

QStringList valuesOf(const Column& column, const RunFacts& run) {
    const Cell cell = column.value(run);
    QString value = cell.isNumber ? plain(cell.number / (column.isMetric() ? metricScale(column.key) : 1)) : cell.text;
    if (column.kind == Column::Kind::State) value = QString::fromStdString(run.record.state);
    if (column.kind == Column::Kind::Seed) value = QString::number(run.record.seed);
    if (!column.isMetric()) return {value};
    const auto found = run.metrics.find(column.key);
    if (found == run.metrics.end()) return {QString(), QString(), QString(), QString()};
    const MetricSummary& m = found->second;
    return {value, QString::number(column.kind == Column::Kind::Best ? m.bestStep : m.lastStep), QString::number(m.n),
            QString::fromStdString(m.signature)};
}

}  // namespace

QString runsTsv(const std::vector<RunPointer>& runs, const std::vector<Column>& columns) {
    QStringList head{QStringLiteral("id"), QStringLiteral("variant_hash")};
    for (const auto& column : columns)
        for (const auto& name : headOf(column)) head << field(name);
    QString text = head.join(QLatin1Char('\t')) + QLatin1Char('\n');
    for (const auto& run : runs) {
        QStringList row{QString::fromStdString(run->record.id), QString::fromStdString(run->record.variantHash)};
        for (const auto& column : columns)
            for (const auto& value : valuesOf(column, *run)) row << field(value);
        text += row.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return text;
}

std::vector<RunPointer> runsOf(const Arrangement& arrangement) {
    std::vector<RunPointer> runs;
    for (const auto& group : arrangement.groups)
        for (const auto& row : group.rows) runs.push_back(row.run);
    return runs;
}

}  // namespace heddle::ui
