// SPDX-License-Identifier: GPL-3.0-or-later
// A run's name with the mark of its variant before it: a filled square in its colour, hollow while it was never drawn.
#pragma once

#include <QStyledItemDelegate>

namespace heddle::ui {

class NameDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace heddle::ui
