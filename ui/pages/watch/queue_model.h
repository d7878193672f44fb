// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that matter now: active, paused, interrupted, waiting, and the last that ended.
#pragma once

#include "ui/data/run_database.h"
#include "ui/text/states.h"

#include <QAbstractListModel>

#include <map>
#include <optional>
#include <vector>

namespace heddle::ui::watch {

class QueueModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    enum Role { RunRole = Qt::UserRole, MarkRole, DetailRole, RightRole, ProgressRole, VerbRole, HeaderRole };

    /// Runs that are drawn already: the others that are completed offer to be compared.
    void setCompared(const std::vector<RunRef>& runs);
    void setRuns(const std::vector<const Run*>& runs);
    /// What was asked of runs and has not happened yet ("Pausing…"); shown with the next setRuns().
    void setPending(const std::map<RunRef, QString>& words);
    /// Seconds a step of runs in training: what the time left is reckoned from.
    void setRates(const std::map<RunRef, double>& secondsPerStep);
    int rowOf(const RunRef& run) const;
    /// By how many places a row can be moved towards the beginning (first, not positive) and the end of its database's queue;
    /// {0, 0} for one that does not wait.
    std::pair<int, int> movable(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    /// Asks for the move; the row stands at its new place once the database says so.
    bool moveRows(const QModelIndex& parent, int row, int count, const QModelIndex& newParent, int before) override;

Q_SIGNALS:
    /// A waiting run is wanted so many places nearer to the end of the queue (negative: to its beginning).
    void moveRequested(const heddle::ui::RunRef& run, int by);

private:
    struct Item {
        RunRef run;  ///< empty: a header
        QString title, detail, right, verb;
        Mark mark = Mark::Queued;
        std::optional<double> progress;
        bool waits = false;
        bool operator==(const Item&) const = default;
    };
    std::vector<Item> arranged() const;
    Item itemOf(const Run& run, std::optional<double> startsIn) const;
    std::optional<double> secondsLeft(const Run& run) const;
    void update();

    bool waitTogether(int a, int b) const;

    std::vector<Run> runs_;
    std::vector<RunRef> compared_;
    std::map<RunRef, double> secondsPerStep_;
    std::map<RunRef, QString> pending_;
    std::vector<Item> items_;
};

}  // namespace heddle::ui::watch
