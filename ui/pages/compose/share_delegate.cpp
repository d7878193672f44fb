// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/share_delegate.h"

#include "ui/pages/compose/table_models.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui {

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant colour = index.data(CellTable::ColourRole);
    if (!colour.isValid()) return;
    const QRect room = option.rect.adjusted(px(6), 0, -px(6), 0);
    // A share that is not zero is never invisible.
    const int width = std::max(1, int(room.width() * index.data(CellTable::ShareRole).toDouble()));
    painter->fillRect(QRect(room.left(), room.center().y() - px(4), width, px(9)), Theme::color(SlotColour(colour.toInt())));
}

}  // namespace heddle::ui
