// SPDX-License-Identifier: GPL-3.0-or-later
// A small read-only table (specification differences, end values) with a line that says why it is empty.
#pragma once

#include "ui/plot/plot_table.h"

#include <QWidget>

#include <vector>

class QStackedLayout;
class QTableView;

namespace heddle::ui {

class EmptyState;

class ValueTable : public QWidget {
    Q_OBJECT

public:
    explicit ValueTable(const QString& accessibleName, QWidget* parent = nullptr);

    /// Which cells stand out. Unequal: those that differ from the first run's.
    enum class Emphasis { None, Unequal };
    struct Content {
        PlotTable table;
        Emphasis emphasis = Emphasis::None;
        QString empty;            ///< shown instead of a table without rows
        std::vector<int> orders;  ///< for each column, the variant whose line its header shows; -1: none
    };
    void setContent(const Content& content);
    const PlotTable& table() const;
    QTableView& view() { return *view_; }
    void selectNext();

private:
    void fitColumns();

    class Model;
    Model* model_;
    QTableView* view_;
    EmptyState* empty_;
    QStackedLayout* stack_;
};

}  // namespace heddle::ui
