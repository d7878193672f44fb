// SPDX-License-Identifier: GPL-3.0-or-later
// Cells that show a state: its icon and words in its colour, also on the selection.
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
