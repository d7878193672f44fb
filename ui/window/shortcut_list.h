// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+/: every key of the program, by where it works.
#pragma once

#include <QAbstractTableModel>
#include <QDialog>

namespace heddle::ui {

/// Actions with keys below a window, sorted by where they work and by name.
class ShortcutModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit ShortcutModel(const QWidget& window, QObject* parent = nullptr);

    struct Row {
        QString where, what, keys;
        bool operator==(const Row&) const = default;
    };
    const QList<Row>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<Row> rows_;
};

class ShortcutList : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutList(QWidget* window);
};

}  // namespace heddle::ui
