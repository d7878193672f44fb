// SPDX-License-Identifier: GPL-3.0-or-later
// The log of a run, newest first: each line has the time of day and a text.
#pragma once

#include "ui/data/run_detail.h"

#include <QAbstractTableModel>
#include <QTreeView>

namespace heddle::ui {

class LogModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    enum Column { Time, Text, Columns };

    void setDetail(const std::shared_ptr<const RunDetail>& detail);
    /// All lines with the date, oldest first.
    QString text() const;

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(entries_.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(Columns); }
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

    std::shared_ptr<const RunDetail> detail_;
    std::vector<Entry> entries_;
};

/// Long lines can be scrolled.
class LogView : public QTreeView {
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);

    void setDetail(const std::shared_ptr<const RunDetail>& detail) { log_.setDetail(detail); }

private:
    LogModel log_;
};

}  // namespace heddle::ui
