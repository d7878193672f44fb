// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <utility>

namespace heddle::ui {

/// The delays of CoalescingTimer, for what is shown and for what is better done later. There are no others.
struct Delay {
    using Time = std::chrono::milliseconds;
    /// What is shown: nobody sees that it is 40 ms old.
    static constexpr Time kShown{40};
    /// Longer than between two keys or two moves of a slider: a word is worked on, not each of its letters.
    static constexpr Time kSettled{250};
    /// Longer than a pause within the edits of a draft, of which a measurement takes a second.
    static constexpr Time kMeasured{800};
    /// Not every change is written to the disk; a program that is killed loses the last second.
    static constexpr Time kStored{1000};
    /// A whole file is read, which takes time from a training.
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
