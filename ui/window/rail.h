// SPDX-License-Identifier: GPL-3.0-or-later
// The pages as a column of entries at the left edge, the machine below them.
#pragma once

#include "ui/theme/tokens.h"

#include <QToolBar>

class QActionGroup;

namespace heddle::ui {

class DeviceTile;

class Rail : public QToolBar {
    Q_OBJECT

public:
    explicit Rail(QWidget* parent = nullptr);

    /// Adds an entry before the machine's tile; the action is checkable, one at a time.
    QAction* addEntry(Icon icon, const QString& title);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// As wide as the longest title asks for, in bounds.
    void fitWidth();

    QActionGroup* group_;
    QAction* space_;
    DeviceTile* tile_ = nullptr;
};

}  // namespace heddle::ui
