// SPDX-License-Identifier: GPL-3.0-or-later
// The log of a run, newest first: time of day and words.
#pragma once

#include "ui/data/run_detail.h"

#include <QAbstractTableModel>

namespace heddle::ui {

class LogModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    enum Column { Time, Text, Columns };

    void setDetail(const std::shared_ptr<const RunDetail>& detail);
    /// Everything as lines, oldest first, with the date.
    QString text() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Entry {
        double at = 0;
        std::int64_t step = 0;
        QString kind, text;
        bool operator==(const Entry&) const = default;
    };
    static std::vector<Entry> entriesOf(const RunDetail& detail);

    RunRef run_;
    std::vector<Entry> entries_;
};

}  // namespace heddle::ui
