// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace heddle::ui {

/// An editor of a cell is filled once, when it opens. A view would fill it again whenever the cell changes, and what a user has
/// typed would be lost.
class EditDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void setEditorData(QWidget* editor, const QModelIndex& index) const final;

protected:
    virtual void fill(QWidget* editor, const QModelIndex& index) const { QStyledItemDelegate::setEditorData(editor, index); }
};

}  // namespace heddle::ui
