// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/column_chooser.h"

#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {
namespace {
constexpr int kIdRole = Qt::UserRole + 1;
}

ColumnChooser::ColumnChooser(QWidget* parent)
    : QFrame(parent, Qt::Popup),
      search_(new QLineEdit(this)),
      list_(new QListView(this)),
      model_(new QStandardItemModel(this)),
      proxy_(new QSortFilterProxyModel(this)) {
    setFrameShape(QFrame::StyledPanel);
    search_->setPlaceholderText(tr("Find a metric, tag or setting"));
    search_->setAccessibleName(tr("Find a column"));
    proxy_->setSourceModel(model_);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    list_->setModel(proxy_);
    list_->setUniformItemSizes(true);
    list_->setAccessibleName(tr("Columns"));
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    auto* standard = new QPushButton(tr("Default columns"), this);
    setControlRole(*standard, ControlRole::Small);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(8), px(8), px(8), px(8));
    column->setSpacing(px(6));
    column->addWidget(search_);
    column->addWidget(list_, 1);
    column->addWidget(standard, 0, Qt::AlignLeft);
    connect(search_, &QLineEdit::textChanged, proxy_, &QSortFilterProxyModel::setFilterFixedString);
    connect(standard, &QPushButton::clicked, this, &ColumnChooser::reset);
    connect(model_, &QStandardItemModel::itemChanged, this, [this](QStandardItem* item) {
        const auto toggled = Column::fromId(item->data(kIdRole).toString());
        if (!toggled || (item->checkState() == Qt::Checked) == isChosen(*toggled)) return;
        if (std::erase(columns_, *toggled) == 0) columns_.push_back(*toggled);
        Q_EMIT chosen(columns_);
    });
}

void ColumnChooser::open(const QWidget& anchor, const RunTable& table, const std::vector<Column>& chosen) {
    columns_ = chosen;
    fill(table);
    search_->clear();
    resize(px(320), px(420));
    QPoint place = anchor.mapToGlobal(QPoint(anchor.width() - width(), anchor.height() + px(2)));
    move(std::max(0, place.x()), place.y());
    show();
    search_->setFocus(Qt::PopupFocusReason);
}

void ColumnChooser::fill(const RunTable& table) {
    using K = Column::Kind;
    model_->clear();
    for (const K kind : {K::State, K::Seed, K::Parameters, K::Epochs, K::Steps, K::Time, K::Created, K::Tags, K::Variant})
        add({kind, ""}, tr("run"));
    for (const K kind : {K::Added, K::Value, K::Difference, K::Interval, K::Verdict, K::Published})
        add({kind, ""}, tr("comparison"));
    for (const auto& metric : table.metrics) {
        add({K::Best, metric}, tr("best"));
        add({K::Last, metric}, tr("last"));
    }
    for (const auto& key : tagKeys(table)) add({K::Tag, key}, tr("tag"));
    for (const auto& path : table.varying) add({K::Setting, path}, tr("setting that differs"));
    for (const auto& path : table.paths)
        if (!std::binary_search(table.varying.begin(), table.varying.end(), path)) add({K::Setting, path}, tr("setting"));
}

void ColumnChooser::add(const Column& column, const QString& group) {
    auto* item = new QStandardItem(tr("%1  ·  %2").arg(column.title(), group));
    item->setData(column.id(), kIdRole);
    item->setToolTip(column.description());
    item->setCheckable(true);
    item->setCheckState(isChosen(column) ? Qt::Checked : Qt::Unchecked);
    model_->appendRow(item);
}

bool ColumnChooser::isChosen(const Column& column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

void ColumnChooser::reset() {
    columns_ = defaultColumns();
    for (int i = 0; i < model_->rowCount(); ++i) {
        const auto column = Column::fromId(model_->item(i)->data(kIdRole).toString());
        model_->item(i)->setCheckState(column && isChosen(*column) ? Qt::Checked : Qt::Unchecked);
    }
    Q_EMIT chosen(columns_);
}

void ColumnChooser::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) return hide();
    if (event->key() == Qt::Key_Down && search_->hasFocus()) return list_->setFocus(Qt::TabFocusReason);
    QFrame::keyPressEvent(event);
}

}  // namespace heddle::ui
