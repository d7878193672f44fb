// SPDX-License-Identifier: GPL-3.0-or-later
// The column menu of the run table: a searchable list with ticks: of the run, the comparison, metrics, tags, and settings,
// those in which runs differ before the others.
#pragma once

#include "ui/panels/table/columns.h"

#include <QFrame>

class QLineEdit;
class QListView;
class QSortFilterProxyModel;
class QStandardItemModel;

namespace heddle::ui {

class ColumnChooser : public QFrame {
    Q_OBJECT

public:
    explicit ColumnChooser(QWidget* parent = nullptr);

    /// Opens below `anchor`: lists all columns that `table` can show, with ticks on `chosen`.
    void open(const QWidget& anchor, const RunTable& table, const std::vector<Column>& chosen);

Q_SIGNALS:
    /// The user changed a tick. `columns`: the chosen ones, new ones last.
    void chosen(const std::vector<heddle::ui::Column>& columns);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fill(const RunTable& table);
    void add(const Column& column, const QString& group);
    void reset();
    bool isChosen(const Column& column) const;

    QLineEdit* search_;
    QListView* list_;
    QStandardItemModel* model_;
    QSortFilterProxyModel* proxy_;
    std::vector<Column> columns_;
};

}  // namespace heddle::ui
