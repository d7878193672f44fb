// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a run of the queue: state, name, progress, time left, and a button if the model has a verb for it.
#pragma once

#include <QStyledItemDelegate>

#include <utility>

namespace heddle::ui::watch {

class QueueDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    /// The place of the verb's button in a row; empty without a verb.
    static QRect buttonRect(const QRect& row, const QString& verb);

Q_SIGNALS:
    void verbClicked(const QString& run);

private:
    std::pair<QString, QString> pressed_;  ///< the run and the verb under the mouse button that is down
};

}  // namespace heddle::ui::watch
