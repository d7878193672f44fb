// SPDX-License-Identifier: GPL-3.0-or-later
// A small table of numbers whose rows can be chosen.
#pragma once

#include <QTableWidget>

#include <optional>

namespace heddle::ui {

/// Without rows. `id` is its object name, `name` for screen readers.
QTableWidget* makeNumberTable(const char* id, const QStringList& headers, const QString& name, QWidget* parent);

/// A cell that cannot be edited.
class TableCell : public QTableWidgetItem {
public:
    enum class Kind { Text, Number };  ///< Number: aligned right
    /// In a sorted table the cell stands by its `order`, else by its text.
    TableCell(const QString& text, Kind kind, std::optional<double> order = {});
    bool operator<(const QTableWidgetItem& other) const override;

private:
    std::optional<double> order_;
};

}  // namespace heddle::ui
