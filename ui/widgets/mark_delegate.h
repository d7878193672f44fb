// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a state in a cell: icon and text in the colour of the state, also in selected rows.
#pragma once

#include <QStyledItemDelegate>

namespace heddle::ui {

/// The model's role that holds int(Mark); a cell without it is drawn as usual.
inline constexpr int kMarkRole = Qt::UserRole + 400;

class MarkDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace heddle::ui
