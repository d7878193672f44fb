// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/block_model.h"

#include "ui/pages/compose/draft/slot_site.h"
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

BlockModel::BlockModel() {
    const auto add = [](QStandardItem* parent, const QString& words, const QString& tip) {
        auto* item = new QStandardItem(words);
        item->setToolTip(tip);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        parent->appendRow(item);
        return item;
    };
    for (const auto& slot : builtinCatalogue().slots()) {
        QStandardItem* group = add(invisibleRootItem(), text(slot), {});
        for (const BlockDescriptor* block : builtinCatalogue().ofSlot(slot))
            add(group, QStringLiteral("%1  %2").arg(text(block->id), text(block->title)),
                text(block->summary + "\n" + block->formula));
    }
}

const BlockDescriptor* BlockModel::block(const QModelIndex& index) const {
    const QModelIndex slot = index.parent();
    if (!slot.isValid()) return nullptr;
    return builtinCatalogue().ofSlot(slot.data().toString().toStdString())[std::size_t(index.row())];
}

/// Fonts and colours of slots follow the theme.
QVariant BlockModel::data(const QModelIndex& index, int role) const {
    const bool isSlot = index.isValid() && !index.parent().isValid();
    if (isSlot && role == Qt::FontRole) return strongFont(Type::Body);
    if (isSlot && role == Qt::DecorationRole) return stripe(familyOf(index.data().toString().toStdString()).colour);
    return QStandardItemModel::data(index, role);
}

}  // namespace heddle::ui
