// SPDX-License-Identifier: GPL-3.0-or-later
// A run's name behind the marker of its variant; a hollow square for a variant that was never drawn.
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
