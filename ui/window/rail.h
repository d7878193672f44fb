// SPDX-License-Identifier: GPL-3.0-or-later
// The column of pages at the left edge, with the state of the machine below.
#pragma once

#include "ui/theme/tokens.h"

#include <QToolBar>

class QActionGroup;
class QTimer;

namespace heddle::ui {

/// Load of the processor and use of the memory of this machine.
class DeviceTile : public QWidget {
    Q_OBJECT

public:
    explicit DeviceTile(QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void poll();

    QTimer* timer_;
    qint64 busyBefore_ = 0, allBefore_ = 0;
    double load_ = 0, taken_ = 0;  ///< shares, 0 to 1
    double takenBytes_ = 0;
};

class Rail : public QToolBar {
    Q_OBJECT

public:
    explicit Rail(QWidget* parent = nullptr);

    /// Adds an entry above the machine's tile; the action is checkable, one at a time. `name` is the object name.
    QAction* addEntry(const QString& name, Icon icon, const QString& title);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// Sets the width to that of the longest title, within limits.
    void fitWidth();

    QActionGroup* group_;
    QAction* space_;
    DeviceTile* tile_ = nullptr;
};

}  // namespace heddle::ui
