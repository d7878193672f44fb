// SPDX-License-Identifier: GPL-3.0-or-later
// The run table over an Arrangement: two levels (groups, their runs) or single runs. Filters and sorts nothing itself. Names
// and tags that are edited go out as signals; the new values come back from the database with a new arrangement.
#pragma once

#include "ui/panels/table/arrangement.h"

#include <QAbstractItemModel>

namespace heddle::ui {

class Studio;

class RunTableModel : public QAbstractItemModel {
    Q_OBJECT

public:
    /// Roles beyond the usual ones. Order: Theme::runAt(order), -1 never drawn. Glyph: an IntervalGlyph, of the header with the
    /// scale alone.
    enum Role { OrderRole = Qt::UserRole + 1, BaselineRole, GlyphRole };

    /// The studio knows colours, the baseline and the verbs under way ("Pausing…"). Who shows them paints when they change.
    explicit RunTableModel(const Studio& studio, QObject* parent = nullptr) : QAbstractItemModel(parent), studio_(studio) {}

    /// Updates rows in place if the same runs stand in the same order, and moves them if only the order has changed. Returns
    /// whether the model was reset instead.
    bool setArrangement(std::shared_ptr<const Arrangement> arrangement);
    const std::shared_ptr<const Arrangement>& arrangement() const { return arrangement_; }

    /// The runs with a tick.
    void setChecked(const std::vector<RunRef>& runs);
    /// As the user sets or takes the ticks of these rows, all at once.
    void setTicks(const QModelIndexList& rows, bool on);

    /// The runs of a row: one, or all of a group.
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
    /// The user edited a run of the Manage table.
    void renamed(const std::string& run, const QString& name);
    void tagged(const std::string& run, const QStringList& tags);

private:
    bool isGrouped() const { return arrangement_->options.grouping == Grouping::Settings; }
    bool isFor(TableUse use) const { return arrangement_->options.use == use; }
    const Column& columnAt(int place) const { return arrangement_->options.columns[std::size_t(place)]; }
    const RunGroup& groupAt(const QModelIndex& index) const;
    /// The run of a row that stands for one; null for a group.
    const RunRow* rowAt(const QModelIndex& index) const;
    std::set<Unlike> doubtsAt(const QModelIndex& index) const;
    QString textOfRun(const QModelIndex& index, const RunRow& row) const;
    QString textOfGroup(const QModelIndex& index) const;
    QString tipOfRun(const QModelIndex& index, const RunRow& row) const;
    QString tipOfGroup(const QModelIndex& index) const;
    /// With the mark of what is not comparable.
    QString textAt(const QModelIndex& index) const;
    QString tipAt(const QModelIndex& index) const;
    QVariant nameAt(const QModelIndex& index, int role) const;
    /// Of a column that a comparison fills.
    QVariant comparedAt(const QModelIndex& index, int role) const;
    QVariant state(const QModelIndex& index, int role) const;
    Qt::CheckState checkAt(const QModelIndex& index) const;
    QModelIndex indexAt(const std::string& key) const;
    void reorder(std::shared_ptr<const Arrangement> arrangement);
    void repaintAll();
    bool edit(const QModelIndex& index, const QVariant& value);

    const Studio& studio_;
    std::shared_ptr<const Arrangement> arrangement_ = std::make_shared<Arrangement>();
    std::set<RunRef> checked_;
};

}  // namespace heddle::ui
