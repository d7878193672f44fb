// SPDX-License-Identifier: GPL-3.0-or-later
// A small read-only table (specification differences, end values) with a line that says why it is empty.
#pragma once

#include "ui/plot/plot_table.h"

#include <QWidget>

class QLabel;
class QStackedLayout;
class QTableView;

namespace heddle::ui {

class ValueTable : public QWidget {
    Q_OBJECT

public:
    explicit ValueTable(const QString& accessibleName, QWidget* parent = nullptr);

    /// Which cells stand out. Unequal: those that are not the first run's.
    enum class Emphasis { None, Unequal };
    /// `empty` is shown instead of a table without rows.
    void setTable(const PlotTable& table, Emphasis emphasis, const QString& empty);
    const PlotTable& table() const;
    QTableView& view() { return *view_; }
    void selectNext();

private:
    void fitColumns();

    class Model;
    Model* model_;
    QTableView* view_;
    QLabel* empty_;
    QStackedLayout* stack_;
};

}  // namespace heddle::ui
