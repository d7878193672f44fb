// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/value_table.h"

#include "ui/shell/type.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedLayout>
#include <QTableView>

namespace heddle::ui {

/// Paths and signatures in mono, what differs in strong letters.
class ValueTable::Model : public PlotTableModel {
public:
    using PlotTableModel::PlotTableModel;
    Emphasis emphasis = Emphasis::None;

    /// Cells may be elided; a value's tip also says what the last column says of its row (the signature).
    QString tipAt(const QModelIndex& index) const {
        const QString cell = PlotTableModel::data(index, Qt::DisplayRole).toString();
        if (emphasis == Emphasis::Unequal) return cell;
        return cell + QLatin1Char('\n') + table().rows[index.row()].last();
    }

    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid()) return {};
        if (role == Qt::ToolTipRole) return tipAt(index);
        if (role != Qt::FontRole || emphasis != Emphasis::Unequal) return PlotTableModel::data(index, role);
        if (index.column() == 0) return typeFont(Type::Mono);
        const QStringList& row = table().rows[index.row()];
        return index.column() > 1 && row[index.column()] != row[1] ? strongFont(Type::Body) : typeFont(Type::Body);
    }
};

ValueTable::ValueTable(const QString& accessibleName, QWidget* parent)
    : QWidget(parent),
      model_(new Model(this)),
      view_(new QTableView(this)),
      empty_(new QLabel(this)),
      stack_(new QStackedLayout(this)) {
    view_->setModel(model_);
    view_->setAccessibleName(accessibleName);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setAlternatingRowColors(true);
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setWordWrap(false);
    view_->setShowGrid(false);
    view_->setTabKeyNavigation(false);
    view_->verticalHeader()->hide();
    view_->verticalHeader()->setMinimumSectionSize(px(20));
    view_->verticalHeader()->setDefaultSectionSize(px(24));
    view_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view_->horizontalHeader()->setResizeContentsPrecision(0);
    view_->horizontalHeader()->setHighlightSections(false);
    empty_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    empty_->setWordWrap(true);
    empty_->setMargin(px(12));
    empty_->setForegroundRole(QPalette::PlaceholderText);
    stack_->addWidget(view_);
    stack_->addWidget(empty_);
}

void ValueTable::setTable(const PlotTable& table, Emphasis emphasis, const QString& empty) {
    const bool sameColumns = table.columns == model_->table().columns;
    model_->emphasis = emphasis;
    const QModelIndex current = view_->currentIndex();
    model_->setTable(table);
    if (current.isValid()) view_->setCurrentIndex(model_->index(current.row(), current.column()));
    empty_->setText(empty);
    stack_->setCurrentIndex(table.rows.isEmpty() ? 1 : 0);
    if (!sameColumns) fitColumns();
}

const PlotTable& ValueTable::table() const { return model_->table(); }

void ValueTable::selectNext() {
    if (model_->rowCount() == 0) return;
    const int row = view_->currentIndex().isValid() ? (view_->currentIndex().row() + 1) % model_->rowCount() : 0;
    view_->setCurrentIndex(model_->index(row, 0));
    view_->setFocus(Qt::ShortcutFocusReason);
}

void ValueTable::fitColumns() {
    for (int i = 0; i < model_->columnCount(); ++i) {
        view_->resizeColumnToContents(i);
        view_->setColumnWidth(i, std::min(view_->columnWidth(i) + px(12), px(360)));
    }
}

}  // namespace heddle::ui
