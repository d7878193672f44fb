// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+/: all keyboard shortcuts of the program and where they work.
#pragma once

#include <QDialog>

namespace heddle::ui {

class ShortcutList : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutList(QWidget* window);

    struct Row {
        QString what, keys, where;
        bool operator==(const Row&) const = default;
    };
    /// Actions with keys below a window.
    static QList<Row> rowsOf(const QWidget& window);
};

}  // namespace heddle::ui
