// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <utility>

namespace heddle::ui {

/// Does once what many events ask for: a moment after the first of them.
class Soon : public QObject {
public:
    explicit Soon(QObject* owner, std::function<void()> act, std::chrono::milliseconds moment = std::chrono::milliseconds(40))
        : QObject(owner), act_(std::move(act)), timer_(this) {
        timer_.setSingleShot(true);
        timer_.setInterval(moment);
        timer_.callOnTimeout(this, [this] { act_(); });
    }
    void request() {
        if (!timer_.isActive()) timer_.start();
    }
    void cancel() { timer_.stop(); }
    bool isDue() const { return timer_.isActive(); }

private:
    std::function<void()> act_;
    QTimer timer_;
};

}  // namespace heddle::ui
