// SPDX-License-Identifier: GPL-3.0-or-later
// The tags of a run as chips. A plus at their end opens the field; it is shown while the row is under the pointer or selected.
#pragma once

#include "ui/widgets/edit_delegate.h"

namespace heddle::ui {

/// Over a model whose EditRole is the list of tags.
class TagDelegate : public EditDelegate {
    Q_OBJECT

public:
    using EditDelegate::EditDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Where the plus of a cell is.
    static QRect plusRect(const QRect& cell, const QStringList& tags);

Q_SIGNALS:
    void editRequested();

protected:
    void fill(QWidget* editor, const QModelIndex& index) const override;
};

}  // namespace heddle::ui
