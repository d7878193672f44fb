// SPDX-License-Identifier: GPL-3.0-or-later
// The Library's table over lines that are already filtered and sorted. Name and tags are edited in place: the model emits the
// change, and the new value comes back from the database with new lines.
#pragma once

#include "ui/pages/library/run_list.h"

#include <QAbstractTableModel>

#include <functional>

namespace heddle::ui {

class RunListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// Order: Theme::runAt(order), -1 never drawn.
    enum Role { OrderRole = Qt::UserRole + 1 };
    using QAbstractTableModel::QAbstractTableModel;

    /// Updates or moves rows if the runs are the same. Returns whether the model was reset instead.
    bool setLines(std::vector<RunLine> lines);
    const std::vector<RunLine>& lines() const { return lines_; }
    const RunLine* line(int row) const;
    int rowOf(const std::string& run) const;
    /// Words that stand in place of the state of runs: "Pausing…".
    void setPending(std::map<std::string, QString> words);
    void setOrders(std::function<int(const std::string& hash)> orders);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void renamed(const std::string& run, const QString& name);
    void tagged(const std::string& run, const QStringList& tags);

private:
    QVariant text(const RunLine& line, RunColumn column) const;

    std::vector<RunLine> lines_;
    std::function<int(const std::string&)> orders_;
    std::map<std::string, QString> pending_;
};

}  // namespace heddle::ui
