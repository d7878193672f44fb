// SPDX-License-Identifier: GPL-3.0-or-later
// Fits the columns of a table to what stands in them, and gives one column the width that the others leave. A width that the
// user dragged stays until a double click on the edge of the column.
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
    /// How wide a column gets by its contents, px.
    struct Limits {
        int least = 0, most = 0;
    };
    struct Columns {
        int filling = 0;                 ///< takes the width that is left
        std::function<QString(int)> id;  ///< of a column, for a settings file
        std::function<Limits(int)> limits;
    };
    /// Owned by `view`, which must have its model.
    ColumnFit(QTreeView& view, Columns columns);

    /// Call this when rows or values have changed. While the rows stay the same, no column gets narrower: live values would
    /// make it jump.
    enum class Rows { Same, Others };
    void fit(Rows rows);

    /// The widths that the user dragged, by id.
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
    QHash<QString, int> fitted_;  ///< what the contents need, by id
    bool fitting_ = false;        ///< a width that changes now is not dragged
};

}  // namespace heddle::ui
