// SPDX-License-Identifier: GPL-3.0-or-later
// The two levels of the run table (variants, their runs) over an Arrangement. Filters and sorts nothing itself.
#pragma once

#include "ui/pages/compare/arrangement.h"

#include <QAbstractItemModel>

#include <functional>
#include <set>

namespace heddle::ui {

class RunTableModel : public QAbstractItemModel {
    Q_OBJECT

public:
    /// Roles beyond the usual ones. Order: Theme::runAt(order), -1 never drawn.
    enum Role { OrderRole = Qt::UserRole + 1, BaselineRole };

    using QAbstractItemModel::QAbstractItemModel;

    /// Updates rows in place if the same runs stand in the same order, and moves them if only the order has changed. Returns
    /// whether the model was reset instead.
    bool setArrangement(std::shared_ptr<const Arrangement> arrangement);
    const std::shared_ptr<const Arrangement>& arrangement() const { return arrangement_; }

    /// How a variant is drawn, and which one is the baseline.
    struct Colours {
        std::function<int(const std::string& hash)> order;
        std::string baseline;
    };
    void setColours(Colours colours);
    /// The runs with a tick.
    void setChecked(const std::vector<RunRef>& runs);

    /// The runs of a row: one, or all of a variant.
    std::vector<RunPointer> runsAt(const QModelIndex& index) const;
    std::string keyAt(const QModelIndex& index) const;
    /// The row of a run; invalid if it is filtered out.
    QModelIndex indexOf(const RunRef& run) const { return indexAt(Arrangement::runKey(run)); }
    QModelIndex indexOfGroup(const std::string& hash) const { return indexAt(Arrangement::groupKey(hash)); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    /// The user changed a tick. `runs`: those with a tick, in the order of the table.
    void checkedByUser(const std::vector<heddle::ui::RunRef>& runs);

private:
    bool isGrouped() const { return arrangement_->options.grouping == Grouping::Settings; }
    const RunGroup& groupAt(const QModelIndex& index) const;
    /// The run of a row that stands for one; null for a variant.
    const RunRow* rowAt(const QModelIndex& index) const;
    QString textAt(const QModelIndex& index) const;
    QString tipAt(const QModelIndex& index) const;
    /// Without the mark of what is not comparable.
    QString plainTextAt(const QModelIndex& index) const;
    QString plainTipAt(const QModelIndex& index) const;
    QVariant firstColumn(const QModelIndex& index, int role) const;
    QVariant state(const QModelIndex& index, int role) const;
    Qt::CheckState checkAt(const QModelIndex& index) const;
    QModelIndex indexAt(const std::string& key) const;
    void reorder(std::shared_ptr<const Arrangement> arrangement);
    void repaintAll();

    std::shared_ptr<const Arrangement> arrangement_ = std::make_shared<Arrangement>();
    Colours colours_;
    std::set<RunRef> checked_;
};

}  // namespace heddle::ui
