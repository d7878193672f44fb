// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/name_delegate.h"

#include "ui/pages/library/run_list_model.h"
#include "ui/plot/marker.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui {

void NameDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const QVariant order = index.data(RunListModel::OrderRole);
    if (!order.isValid()) return;
    const qreal ratio = option->widget ? option->widget->devicePixelRatioF() : 1;
    const int side = px(12);
    QPixmap picture(QSize(side, side) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    if (order.toInt() >= 0) {
        paintMarker(painter, QPointF(side / 2.0, side / 2.0), Theme::runAt(order.toInt()), px(8));
    } else {
        painter.setPen(QPen(Theme::color(Token::Text2), 1));
        painter.drawRect(QRectF(2.5, 2.5, side - 5, side - 5));
    }
    painter.end();
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->icon = QIcon(picture);
    option->icon.addPixmap(picture, QIcon::Selected);  // a variant has one colour, on a selected row too
    option->decorationSize = QSize(side, side);
}

}  // namespace heddle::ui
