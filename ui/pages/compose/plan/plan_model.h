// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a plan as a table: variant, settings, seeds and cost. The first row is the draft that is shown; editing it edits
// the draft. The user adds the others.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/plan/plan_meter.h"
#include "ui/pages/compose/plan/plan_words.h"

#include <QAbstractTableModel>

namespace heddle::ui {

enum class PlanColumn { Name, Settings, Seeds, Start, Data, Budget, Device, Parameters, Step, Time, Memory, Disk, Note };

class PlanModel : public QAbstractTableModel {
    Q_OBJECT

public:
    PlanModel(VariantDraft& draft, PlanMeter& meter, QObject* parent);
    static constexpr int kColumns = int(PlanColumn::Note) + 1;

    /// The added rows, their notes and the ticks, for restore().
    Json session() const;
    /// Throws if it is no session; then nothing changes.
    void restore(const Json& session);
    void add(const PlanRow& row, const QString& note);
    void remove(int row);
    /// Moves an added row by one place; false at the end.
    bool move(int row, int by);
    const PlanRow& row(int index) const { return entries_[std::size_t(index)].row; }
    /// The measured steps of the draft and of the baseline in the experiment of the draft, which is timed but is no row.
    std::optional<StepTime> stepOfDraft() const { return stepOf(entries_.front().key); }
    std::optional<StepTime> stepOfBaseline() const { return stepOf(baselineKey_); }
    /// The ticked rows, in order.
    std::vector<PlanRow> included() const;
    /// Without the draft.
    std::vector<PlanRow> addedRows() const;
    /// "3 rows, 7 runs, about 2 h 5 min, up to 1.2 GiB on disk".
    QString totals() const;
    /// The first warning of a ticked row, such as that it does not fit into memory; empty: none.
    QString warning() const;
    /// Why the ticked rows cannot be started; empty: they can.
    QString error() const;
    /// Whether a ticked row starts from the runs of another one, for which heddle sweep waits and the studio does not.
    bool hasStarts() const;
    /// Which rows are ticked, "1" or "0" each, in order.
    QString ticked() const;
    void setTicked(const QString& marks);

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(entries_.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void changed();      ///< rows, ticks or costs
    void gridRefused();  ///< a value grid makes more than kMaxGridRows rows

private:
    struct Entry {
        PlanRow row;
        QString note;
        bool isIncluded = true;
        std::string key = PlanMeter::keyOf(row);  ///< of its costs
    };
    void showDraft();
    /// Makes the meter compute the cost of the rows and of the baseline.
    void rowsChanged();
    bool editDraft(PlanColumn column, const QString& words);
    bool setSettings(int row, const QString& words);
    std::optional<StepTime> stepOf(const std::string& key) const;
    static QString budgetOf(const RowCost& cost);
    QString textOf(const Entry& entry, PlanColumn column) const;
    QString noteOf(const Entry& entry) const;
    QString warningOf(const Entry& entry) const;
    std::optional<double> secondsOf(const Entry& entry) const;

    VariantDraft& draft_;
    PlanMeter& meter_;
    std::vector<Entry> entries_;
    std::optional<PlanRow> baseline_;
    std::string baselineKey_;
};

}  // namespace heddle::ui
