// SPDX-License-Identifier: GPL-3.0-or-later
// Fits the columns of a table to their contents, and gives the remaining width to one column. A width that the user has set
// stays until a double click on the edge of the column.
#pragma once

#include <QHash>
#include <QObject>
#include <QVariantMap>

#include <functional>

class QTreeView;

namespace heddle::ui {

class ColumnFit : public QObject {
    Q_OBJECT

public:
    /// Limits of the width of a column, px. `least` must have room for its header.
    struct Limits {
        int least = 0, most = 0;
    };
    struct Columns {
        int filling = 0;                 ///< the column that gets the remaining width, but at least its `least`
        std::function<QString(int)> id;  ///< of a column, for a settings file
        std::function<Limits(int)> limits;
    };
    /// Owned by `view`, which must have its model.
    ColumnFit(QTreeView& view, Columns columns);

    /// Call this when rows or values have changed. While the rows are the same, no column gets narrower, so that changing
    /// values do not move the columns.
    enum class Rows { Same, Others };
    void fit(Rows rows);

    /// The widths that the user has set, by id.
    const QVariantMap& dragged() const { return dragged_; }
    void setDragged(const QVariantMap& widths);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refit(Rows rows);
    int fittedWidth(int column);
    void fill();

    QTreeView& view_;
    Columns columns_;
    QVariantMap dragged_;
    QHash<QString, int> fitted_;  ///< the widths of the contents, by id
    bool fitting_ = false;        ///< changes of widths are not made by the user
};

}  // namespace heddle::ui
