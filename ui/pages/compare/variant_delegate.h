// SPDX-License-Identifier: GPL-3.0-or-later
// First column of the run table: tick, the variant's line (hollow square: never drawn), name, a pin on the baseline.
#pragma once

#include <QPixmap>
#include <QStyledItemDelegate>

namespace heddle::ui {

/// The line of a variant (Theme::runAt(order)); a hollow square for one that was never drawn (-1).
QPixmap lineSample(int order, const QSize& size, qreal ratio);

class VariantDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace heddle::ui
