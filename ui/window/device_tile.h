// SPDX-License-Identifier: GPL-3.0-or-later
// The foot of the rail: this machine's processor, how busy it is, and how much of its memory is taken.
#pragma once

#include <QWidget>

class QTimer;

namespace heddle::ui {

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

}  // namespace heddle::ui
