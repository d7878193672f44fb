// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/variant_delegate.h"

#include "ui/panels/table/run_table_model.h"
#include "ui/plot/marker.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui {

QPixmap variantSample(int order, VariantSample sample, const QSize& size, qreal ratio) {
    QPixmap picture(size * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF rect{QPointF(), QSizeF(size)};
    if (order < 0) {
        painter.setPen(QPen(Theme::color(Token::Text2), 1));
        const qreal side = px(8);
        painter.drawRect(QRectF(rect.center().x() - side / 2, rect.center().y() - side / 2, side, side));
    } else if (sample == VariantSample::Line) {
        paintLineSample(painter, rect, Theme::runAt(order), SampleMarker::Middle);
    } else {
        paintMarker(painter, rect.center(), Theme::runAt(order), px(8));
    }
    return picture;
}

void VariantDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const QVariant order = index.data(RunTableModel::OrderRole);
    if (!order.isValid()) return;
    const QSize size = sample_ == VariantSample::Line ? QSize(px(24), px(14)) : QSize(px(12), px(12));
    const qreal ratio = option->widget ? option->widget->devicePixelRatioF() : 1;
    const QPixmap picture = variantSample(order.toInt(), sample_, size, ratio);
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->icon = QIcon(picture);
    option->icon.addPixmap(picture, QIcon::Selected);  // a group has one colour, on a selected row too
    option->decorationSize = size;
}

void VariantDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    if (!index.data(RunTableModel::BaselineRole).toBool()) return;
    QStyleOptionViewItem full = option;
    initStyleOption(&full, index);
    const QStyle* style = full.widget->style();
    const QRect text = style->subElementRect(QStyle::SE_ItemViewItemText, &full, full.widget);
    const int end = text.left() + full.fontMetrics.horizontalAdvance(full.text) + px(8);
    if (end + px(14) > option.rect.right()) return;
    const QPixmap pin = iconPixmap(Icon::Pin, Theme::color(Token::Accent), px(14), full.widget->devicePixelRatioF());
    painter->drawPixmap(QPoint(end, option.rect.center().y() - px(7) + 1), pin);
}

QSize VariantDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.data(RunTableModel::BaselineRole).toBool()) size.rwidth() += px(22);
    return size;
}

}  // namespace heddle::ui
