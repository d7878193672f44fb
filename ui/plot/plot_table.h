// SPDX-License-Identifier: GPL-3.0-or-later
// What a plot shows, as rows and columns: its table view, its copy as text, what a screen reader reads.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>

namespace heddle::ui {

struct PlotTable {
    QStringList columns;
    QList<QStringList> rows;  ///< as the screen writes them
    int textColumns = 1;      ///< leading columns that are names, aligned left; the rest are numbers
    QString caption;          ///< what a row is, e.g. "mean of 27 steps"
};

/// Tab-separated, with a header line.
QString toTsv(const PlotTable& table);
/// In the format that the end of the file's name says (engine/analysis/table_export.h). Throws std::runtime_error for others.
QByteArray tableBytes(const PlotTable& table, const QString& file);
/// The filters of an export dialog: CSV, Markdown, LaTeX, TSV.
QStringList tableFilters();

class PlotTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setTable(PlotTable table);
    const PlotTable& table() const { return table_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    PlotTable table_;
};

}  // namespace heddle::ui
