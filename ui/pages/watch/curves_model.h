// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the curves: eye, line, value at the named step; hidden runs at the end.
#pragma once

#include "ui/data/run_ref.h"
#include "ui/plot/marker.h"
#include "ui/theme/theme_data.h"

#include <QAbstractListModel>
#include <QStyledItemDelegate>

#include <optional>
#include <vector>

namespace heddle::ui::watch {

struct DrawnRun {
    RunRef run;
    QString label;
    int order = 1;  ///< Theme::runAt; 0 is the baseline
    std::optional<double> value;
    bool hidden = false;
    bool operator==(const DrawnRun&) const = default;
};

class CurvesModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    enum Role { RunRole = Qt::UserRole, OrderRole, ValueRole, HiddenRole, HeaderRole };

    /// Sets the runs in the order of drawing; hidden ones are put behind a header of their own.
    void setRuns(const std::vector<DrawnRun>& runs);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void eyeClicked(const heddle::ui::RunRef& run);

private:
    std::vector<DrawnRun> rows_;  ///< the header has no run
};

class CurvesDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
};

}  // namespace heddle::ui::watch
