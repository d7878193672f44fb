// SPDX-License-Identifier: GPL-3.0-or-later
// The data of a plot as rows and columns, for its table view, exports and screen readers.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>

namespace heddle::ui {

struct PlotTable {
    QStringList columns;
    QList<QStringList> rows;  ///< as shown on the screen
    int textColumns = 1;      ///< number of leading columns with names, aligned left; the others have numbers
    QString caption;          ///< the meaning of a row, e.g. "mean of 27 steps"
};

/// Tab-separated, with a header line.
QString toTsv(const PlotTable& table);
/// In the format of the file extension (engine/analysis/table_export.h). Throws std::runtime_error for other extensions.
QByteArray tableBytes(const PlotTable& table, const QString& file);
/// The filters of an export dialog: CSV, Markdown, LaTeX, TSV.
QStringList tableFilters();

class PlotTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setTable(PlotTable table);
    const PlotTable& table() const { return table_; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(table_.rows.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(table_.columns.size()); }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    PlotTable table_;
};

}  // namespace heddle::ui
