// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <utility>

namespace heddle::ui {

/// The delays of CoalescingTimer. There are no others.
struct Delay {
    using Time = std::chrono::milliseconds;
    /// For what is shown: nobody sees that it is 40 ms old.
    static constexpr Time kShown{40};
    /// For input by keys or a slider. It is longer than the time between two keys or two moves, so the work is done once for
    /// a word and not for each of its letters.
    static constexpr Time kSettled{250};
    /// For a measurement of a draft, which takes a second. It is longer than the pauses within a series of edits.
    static constexpr Time kMeasured{800};
    /// For what is written to the disk: not every change is written, and a program that is killed loses the last second.
    static constexpr Time kStored{1000};
    /// For reading a whole file, which takes time from a training.
    static constexpr Time kWholeFile{20'000};
};

/// Calls a function once for many requests, a short time after the first or the last of them.
class CoalescingTimer : public QObject {
public:
    explicit CoalescingTimer(QObject* owner, std::function<void()> act, Delay::Time delay = Delay::kShown)
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
    bool isActive() const { return timer_.isActive(); }

private:
    std::function<void()> act_;
    QTimer timer_;
};

}  // namespace heddle::ui
