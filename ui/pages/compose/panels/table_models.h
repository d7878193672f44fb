// SPDX-License-Identifier: GPL-3.0-or-later
// Flat lists of the page: parameters by slot, differences from the baseline, problems.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/text/states.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

namespace heddle::ui {

/// A table whose rows are plain cells; rows that stay are updated in place.
class CellTable : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    enum Role { ShareRole = Qt::UserRole, ColourRole };

    /// A full path of what the row is about; empty for a row that is about the whole.
    std::string pathOf(int row) const { return row >= 0 && row < int(paths_.size()) ? paths_[std::size_t(row)] : ""; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(rows_.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(headers_.size()); }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    enum class Look { Plain, Number, Mono, Strong };
    struct Cell {
        QString text;
        Look look = Look::Plain;
        std::optional<Mark> mark = std::nullopt;
        std::optional<SlotColour> colour = std::nullopt;
        double share = 0;
        bool operator==(const Cell&) const = default;
    };
    using Row = std::vector<Cell>;
    void setRows(std::vector<Row> rows);
    QStringList headers_;
    std::vector<std::string> paths_;  ///< by row, in tables whose rows lead to a slot

private:
    std::vector<Row> rows_;
};

/// Parameters of each family of slots beside the baseline's, largest first; the total is the last row.
class SlotCostModel : public CellTable {
    Q_OBJECT

public:
    explicit SlotCostModel(QObject* parent);
    void show(const VariantDraft& draft);
};

class DifferenceModel : public CellTable {
    Q_OBJECT

public:
    explicit DifferenceModel(QObject* parent);
    void show(const VariantDraft& draft);
};

/// Every problem with its number, then whether the draft is valid, then what else is worth knowing.
class ProblemModel : public CellTable {
    Q_OBJECT

public:
    explicit ProblemModel(QObject* parent);
    void show(const VariantDraft& draft);
    int problems() const { return problems_; }

private:
    int problems_ = 0;
};

/// Draws a share as a bar in the colour of its slot.
class ShareDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace heddle::ui
