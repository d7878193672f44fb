// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a share as a bar in the colour of its slot.
#pragma once

#include <QStyledItemDelegate>

namespace heddle::ui {

class ShareDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace heddle::ui
