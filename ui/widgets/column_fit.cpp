// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/column_fit.h"

#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QTreeView>

#include <algorithm>

namespace heddle::ui {

ColumnFit::ColumnFit(QTreeView& view, Columns columns) : QObject(&view), view_(view), columns_(std::move(columns)) {
    view.header()->setStretchLastSection(false);
    view.viewport()->installEventFilter(this);
    connect(view.header(), &QHeaderView::sectionResized, this, [this](int column, int before, int width) {
        const bool isHiddenOrShown = before == 0 || width == 0;
        if (!fitting_ && !isHiddenOrShown) dragged_[columns_.id(column)] = width;
    });
    connect(view.header(), &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
        dragged_.remove(columns_.id(column));
        refit(Rows::Others);
    });
}

void ColumnFit::fit(Rows rows) {
    if (QApplication::mouseButtons() == Qt::NoButton) refit(rows);  // else the user may be changing a width
}

void ColumnFit::refit(Rows rows) {
    if (view_.model()->rowCount() == 0) return;
    if (rows == Rows::Others) fitted_.clear();
    const QScopedValueRollback guard(fitting_, true);
    for (int column = 0; column < view_.model()->columnCount(); ++column) {
        const int dragged = dragged_.value(columns_.id(column)).toInt(), fitted = fittedWidth(column);
        if (column != columns_.filling || dragged > 0) view_.setColumnWidth(column, dragged > 0 ? dragged : fitted);
    }
    fill();
}

/// The width of the visible rows within the limits, not less than before.
int ColumnFit::fittedWidth(int column) {
    const int hint = static_cast<const QAbstractItemView&>(view_).sizeHintForColumn(column);
    const Limits limits = columns_.limits(column);
    int& width = fitted_[columns_.id(column)];
    return width = std::max(width, std::clamp(hint, limits.least, std::max(limits.least, limits.most)));
}

void ColumnFit::fill() {
    const int column = columns_.filling;
    const QString id = columns_.id(column);
    if (!fitted_.contains(id) || dragged_.contains(id)) return;
    const int others = view_.header()->length() - view_.columnWidth(column);
    view_.setColumnWidth(column, std::max(columns_.limits(column).least, view_.viewport()->width() - others));
}

void ColumnFit::setDragged(const QVariantMap& widths) {
    dragged_ = widths;
    {
        const QScopedValueRollback guard(fitting_, true);
        view_.header()->setStretchLastSection(false);  // a restored header may have another value
    }
    refit(Rows::Others);
}

bool ColumnFit::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && !fitting_) fit(Rows::Same);  // more rows may be visible
    return QObject::eventFilter(watched, event);
}

}  // namespace heddle::ui
