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

/// What the rows say beside the records of their runs.
struct QueueFacts {
    std::vector<RunRef> compared = {};             ///< drawn already; other completed runs offer Compare
    std::map<RunRef, QString> pending = {};        ///< the words of pending verbs, "Pausing…"
    std::map<RunRef, double> secondsPerStep = {};  ///< of runs in training, from which the time left is computed
};

class QueueModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    enum Role { RunRole = Qt::UserRole, MarkRole, DetailRole, RightRole, ProgressRole, VerbRole, HeaderRole };

    void setRuns(const std::vector<const Run*>& runs, const QueueFacts& facts = {});
    int rowOf(const RunRef& run) const;
    /// How many places a row can move to the beginning (first, not positive) and to the end of its database's queue; {0, 0} for
    /// a run that does not wait.
    std::pair<int, int> movable(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    /// Emits moveRequested(); the row moves when the database has the new order.
    bool moveRows(const QModelIndex& parent, int row, int count, const QModelIndex& newParent, int before) override;

Q_SIGNALS:
    /// The user moved a waiting run by so many places to the end of the queue (negative: to its beginning).
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
    static std::vector<Item> arranged(std::vector<const Run*> runs, const QueueFacts& facts);
    static Item itemOf(const Run& run, const QueueFacts& facts, std::optional<double> startsIn);
    bool waitTogether(int a, int b) const;

    std::vector<Item> items_;
};

/// In training.
bool isLive(const storage::RunRecord& run);

}  // namespace heddle::ui::watch
