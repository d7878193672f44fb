// SPDX-License-Identifier: GPL-3.0-or-later
// The 2 px ring around the control with the keyboard focus: always for fields, for other controls only after keyboard use.
#pragma once

#include <QFocusFrame>
#include <QPointer>

namespace heddle::ui {

class FocusRing : public QObject {
    Q_OBJECT

public:
    /// Watches the whole application.
    explicit FocusRing(QObject* parent);

    /// The control with the ring, or null.
    QWidget* ringed() const { return frame_ && frame_->isVisible() ? frame_->widget() : nullptr; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow(QWidget* widget);

    QPointer<QFocusFrame> frame_;
};

}  // namespace heddle::ui
