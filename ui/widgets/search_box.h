// SPDX-License-Identifier: GPL-3.0-or-later
// The box at the right of the menu bar: looks like a field, opens the command palette.
#pragma once

#include <QAbstractButton>

class QAction;

namespace heddle::ui {

class SearchBox : public QAbstractButton {
    Q_OBJECT

public:
    /// `find` opens the palette; its keys are shown in the box.
    explicit SearchBox(QAction* find, QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString keys_;
};

}  // namespace heddle::ui
