// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/variant_delegate.h"

#include "ui/pages/compare/run_table_model.h"
#include "ui/plot/marker.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui {
namespace {

QSize sampleSize() { return {px(24), px(14)}; }

}  // namespace

QPixmap lineSample(int order, const QSize& size, qreal ratio) {
    QPixmap picture(size * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF rect{QPointF(), QSizeF(size)};
    if (order >= 0) {
        paintLineSample(painter, rect, Theme::runAt(order), SampleMarker::Middle);
    } else {
        painter.setPen(QPen(Theme::color(Token::Text2), 1));
        const qreal side = px(8);
        painter.drawRect(QRectF(rect.center().x() - side / 2, rect.center().y() - side / 2, side, side));
    }
    return picture;
}

void VariantDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const QVariant order = index.data(RunTableModel::OrderRole);
    if (!order.isValid()) return;
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->icon = QIcon(lineSample(order.toInt(), sampleSize(), option->widget ? option->widget->devicePixelRatioF() : 1));
    option->decorationSize = sampleSize();
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
