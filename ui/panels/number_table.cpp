// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/number_table.h"

#include "ui/theme/type.h"

#include <QHeaderView>

namespace heddle::ui {

QTableWidget* makeNumberTable(const char* id, const QStringList& headers, const QString& name, QWidget* parent) {
    auto* made = new QTableWidget(0, int(headers.size()), parent);
    made->setObjectName(QString::fromLatin1(id));
    made->setHorizontalHeaderLabels(headers);
    made->setAccessibleName(name);
    made->setFrameShape(QFrame::NoFrame);
    made->setSelectionBehavior(QAbstractItemView::SelectRows);
    made->setSelectionMode(QAbstractItemView::SingleSelection);
    made->verticalHeader()->hide();
    made->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    made->verticalHeader()->setDefaultSectionSize(px(22));
    made->setWordWrap(false);
    made->setShowGrid(false);
    made->setEditTriggers(QAbstractItemView::NoEditTriggers);
    made->setTabKeyNavigation(false);
    return made;
}

TableCell::TableCell(const QString& text, Kind kind, std::optional<double> order) : QTableWidgetItem(text), order_(order) {
    setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    if (kind == Kind::Text) return;
    setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setFont(numberFont(Type::Body));
}

bool TableCell::operator<(const QTableWidgetItem& other) const {
    const auto* cell = dynamic_cast<const TableCell*>(&other);
    return order_ && cell && cell->order_ ? *order_ < *cell->order_ : QTableWidgetItem::operator<(other);
}

}  // namespace heddle::ui
