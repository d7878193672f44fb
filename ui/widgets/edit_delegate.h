// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <QWidget>

namespace heddle::ui {

/// An editor of a cell is filled once, when it opens. A view would fill it again whenever the cell changes, and what a user has
/// typed would be lost.
class EditDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        constexpr const char* kIsFilled = "isFilled";
        if (editor->property(kIsFilled).toBool()) return;
        editor->setProperty(kIsFilled, true);
        QStyledItemDelegate::setEditorData(editor, index);
    }
};

}  // namespace heddle::ui
