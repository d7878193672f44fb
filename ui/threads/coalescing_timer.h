// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <utility>

namespace heddle::ui {

/// Calls a function once for many requests, a short time after the first or the last of them.
class CoalescingTimer : public QObject {
public:
    explicit CoalescingTimer(QObject* owner, std::function<void()> act,
                             std::chrono::milliseconds delay = std::chrono::milliseconds(40))
        : QObject(owner), act_(std::move(act)), timer_(this) {
        timer_.setSingleShot(true);
        timer_.setInterval(delay);
        timer_.callOnTimeout(this, [this] { act_(); });
    }
    /// Calls the function a short time after the first call of this.
    void request() {
        if (!timer_.isActive()) timer_.start();
    }
    /// Calls the function a short time after the last call of this.
    void postpone() { timer_.start(); }
    void cancel() { timer_.stop(); }

private:
    std::function<void()> act_;
    QTimer timer_;
};

}  // namespace heddle::ui
