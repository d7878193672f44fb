// SPDX-License-Identifier: GPL-3.0-or-later
// The tags of a run as chips. A plus at their end opens the field; it is shown while the row is under the pointer or selected.
#pragma once

#include <QStyledItemDelegate>

namespace heddle::ui {

/// Over a model whose EditRole is the list of tags.
class TagDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Where the plus of a cell is.
    static QRect plusRect(const QRect& cell, const QStringList& tags);

Q_SIGNALS:
    void editRequested();
};

}  // namespace heddle::ui
