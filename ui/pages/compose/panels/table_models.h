// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the page: parameters by slot, differences from the baseline, problems.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/text/states.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

namespace heddle::ui {

/// A table computed from a draft; existing rows are updated in place.
class CellTable : public QAbstractTableModel {
    Q_OBJECT

public:
    enum class Look { Plain, Number, Mono, Strong };
    struct Cell {
        QString text;
        Look look = Look::Plain;
        std::optional<Mark> mark = std::nullopt;
        std::optional<SlotColour> colour = std::nullopt;
        double share = 0;
        bool operator==(const Cell&) const = default;
    };
    struct Row {
        std::vector<Cell> cells;
        std::string path = {};  ///< the module path of the row; empty: it is about the whole draft
        bool operator==(const Row&) const = default;
    };
    using Rows = std::vector<Row>;
    enum Role { ShareRole = Qt::UserRole, ColourRole };

    CellTable(const VariantDraft& draft, QStringList headers, Rows (*rowsOf)(const VariantDraft&), QObject* parent);
    const std::string& pathOf(const QModelIndex& index) const { return rows_[std::size_t(index.row())].path; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(rows_.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(headers_.size()); }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void setRows(Rows rows);

    QStringList headers_;
    Rows rows_;
};

/// Parameters of each family of slots beside the baseline's, largest first; the total is the last row.
CellTable* makeSlotCosts(const VariantDraft& draft, QObject* parent);
CellTable* makeDifferences(const VariantDraft& draft, QObject* parent);
/// Each problem with its number, whether the draft is valid, and a warning if its size differs from the baseline's.
CellTable* makeProblems(const VariantDraft& draft, QObject* parent);

/// Draws a share as a bar in the colour of its slot.
class ShareDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace heddle::ui
