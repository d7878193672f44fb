// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/block_model.h"

#include "ui/pages/compose/slot_site.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>

namespace heddle::ui {
namespace {

QPixmap stripe(SlotColour colour) {
    const double scale = qApp->devicePixelRatio();
    QPixmap picture(QSize(px(6), px(14)) * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    QPainter(&picture).fillRect(QRect(0, 0, px(4), px(14)), Theme::color(colour));
    return picture;
}

}  // namespace

BlockModel::BlockModel(const Catalogue& catalogue, QObject* parent) : QAbstractItemModel(parent) {
    for (const auto& slot : catalogue.slots()) slots_.push_back({slot, catalogue.ofSlot(slot)});
}

const BlockDescriptor* BlockModel::block(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) return nullptr;
    return slots_[index.internalId() - 1].blocks[std::size_t(index.row())];
}

QModelIndex BlockModel::indexOf(const std::string& slot, const std::string& id) const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
        for (std::size_t j = 0; slots_[i].name == slot && j < slots_[i].blocks.size(); ++j)
            if (slots_[i].blocks[j]->id == id) return createIndex(int(j), 0, quintptr(i + 1));
    return {};
}

QModelIndex BlockModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column != 0 || row >= rowCount(parent)) return {};
    return createIndex(row, 0, parent.isValid() ? quintptr(parent.row() + 1) : quintptr(0));
}

QModelIndex BlockModel::parent(const QModelIndex& index) const {
    return index.isValid() && index.internalId() > 0 ? createIndex(int(index.internalId()) - 1, 0, quintptr(0)) : QModelIndex();
}

int BlockModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return int(slots_.size());
    return parent.internalId() == 0 ? int(slots_[std::size_t(parent.row())].blocks.size()) : 0;
}

QVariant BlockModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const BlockDescriptor* found = block(index);
    if (!found) {
        const std::string& slot = slots_[std::size_t(index.row())].name;
        if (role == Qt::DisplayRole) return text(slot);
        if (role == Qt::FontRole) return strongFont(Type::Body);
        if (role == Qt::DecorationRole) return stripe(familyOf(slot).colour);
        return {};
    }
    switch (role) {
    case Qt::DisplayRole: return QStringLiteral("%1  %2").arg(text(found->id), text(found->title));
    case Qt::ToolTipRole: return text(found->summary + "\n" + found->formula);
    default: return {};
    }
}

}  // namespace heddle::ui
