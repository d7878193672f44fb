// SPDX-License-Identifier: GPL-3.0-or-later
// The button at the right of the menu bar that opens the command palette. It is painted like a text field.
#pragma once

#include <QAbstractButton>

class QAction;

namespace heddle::ui {

class SearchBox : public QAbstractButton {
    Q_OBJECT

public:
    /// `find` opens the palette; the button shows its keys.
    explicit SearchBox(QAction* find, QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString keys_;
};

}  // namespace heddle::ui
