// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the queue: active, paused, interrupted and waiting ones, and those that ended last.
#pragma once

#include "ui/data/run_database.h"
#include "ui/text/states.h"

#include <QAbstractListModel>

#include <map>
#include <optional>
#include <vector>

namespace heddle::ui::watch {

/// What the rows show in addition to the records of their runs.
struct QueueFacts {
    std::vector<RunRef> compared = {};             ///< drawn already; the rows of other completed runs have the verb Compare
    std::map<RunRef, QString> pending = {};        ///< the texts of pending verbs, "Pausing…"
    std::map<RunRef, double> secondsPerStep = {};  ///< of runs in training, from which the time left is computed
};

class QueueModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    enum Role { RunRole = Qt::UserRole, MarkRole, DetailRole, RightRole, ProgressRole, VerbRole, HeaderRole };

    void setRuns(const std::vector<const Run*>& runs, const QueueFacts& facts = {});
    int rowOf(const RunRef& run) const;
    /// By how many places a row can move towards the beginning (negative or 0) and towards the end of its database's queue;
    /// {0, 0} for a run that does not wait.
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
    /// The user moved a waiting run by this many places towards the end of the queue (negative: towards its beginning).
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
