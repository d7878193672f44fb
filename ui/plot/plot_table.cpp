// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_table.h"

#include "engine/base/table_cell.h"

namespace heddle::ui {

QString toTsv(const PlotTable& table) {
    const auto line = [](const QStringList& row) {
        QStringList cells;
        for (const QString& cell : row) cells << QString::fromStdString(tableCell(cell.toStdString()));
        return cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    };
    QString text = line(table.columns);
    for (const QStringList& row : table.rows) text += line(row);
    return text;
}

void PlotTableModel::setTable(PlotTable table) {
    beginResetModel();
    table_ = std::move(table);
    endResetModel();
}

int PlotTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(table_.rows.size()); }
int PlotTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(table_.columns.size()); }

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
