// SPDX-License-Identifier: GPL-3.0-or-later
// The cell with the name of a run or a group: how its group is drawn (hollow square: never drawn), the name, a pin on the
// baseline.
#pragma once

#include <QPixmap>
#include <QStyledItemDelegate>

namespace heddle::ui {

enum class VariantSample { Line, Marker };

/// How Theme::runAt(order) is drawn; a hollow square for a group that was never drawn (-1).
QPixmap variantSample(int order, VariantSample sample, const QSize& size, qreal ratio);

class VariantDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    VariantDelegate(VariantSample sample, QObject* parent) : QStyledItemDelegate(parent), sample_(sample) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    VariantSample sample_;
};

}  // namespace heddle::ui
