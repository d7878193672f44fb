// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_table.h"

#include "engine/analysis/table_export.h"

#include <stdexcept>

namespace heddle::ui {

namespace {

ExportedTable exported(const PlotTable& table) {
    const auto texts = [](const QStringList& row) {
        std::vector<std::string> cells;
        for (const QString& cell : row) cells.push_back(cell.toStdString());
        return cells;
    };
    ExportedTable made{texts(table.columns), {}, std::size_t(table.textColumns), table.caption.toStdString()};
    for (const QStringList& row : table.rows) made.rows.push_back(texts(row));
    return made;
}

}  // namespace

QString toTsv(const PlotTable& table) { return QString::fromStdString(tableText(exported(table), TableFormat::Tsv)); }

QByteArray tableBytes(const PlotTable& table, const QString& file) {
    const auto format = tableFormatOf(file.toStdString());
    if (!format) throw std::runtime_error("a table is written as .csv, .md, .tex or .tsv");
    return QByteArray::fromStdString(tableText(exported(table), *format));
}

QStringList tableFilters() {
    return {PlotTableModel::tr("Comma-separated values (*.csv)"), PlotTableModel::tr("Markdown (*.md)"),
            PlotTableModel::tr("LaTeX (*.tex)"), PlotTableModel::tr("Tab-separated values (*.tsv)")};
}

void PlotTableModel::setTable(PlotTable table) {
    beginResetModel();
    table_ = std::move(table);
    endResetModel();
}

QVariant PlotTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::DisplayRole) return table_.rows[index.row()].value(index.column());
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (index.column() < table_.textColumns ? Qt::AlignLeft : Qt::AlignRight));
    return {};
}

QVariant PlotTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= table_.columns.size()) return {};
    if (role == Qt::DisplayRole) return table_.columns[section];
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section < table_.textColumns ? Qt::AlignLeft : Qt::AlignRight));
    return {};
}

}  // namespace heddle::ui
