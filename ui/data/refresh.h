// SPDX-License-Identifier: GPL-3.0-or-later
// One request at a time.
#pragma once

#include <functional>
#include <utility>

namespace heddle::ui {

/// Makes one request at a time: asked again while one is on its way, it makes one more when the answer is there.
class Refresh {
public:
    /// `ask` starts the request; done() must be called when its answer is there.
    explicit Refresh(std::function<void()> ask) : ask_(std::move(ask)) {}

    bool isIdle() const { return !busy_; }
    void request() {
        if (busy_) {
            again_ = true;
            return;
        }
        busy_ = true;
        ask_();
    }
    void done() {
        busy_ = false;
        if (std::exchange(again_, false)) request();
    }

private:
    std::function<void()> ask_;
    bool busy_ = false, again_ = false;
};

}  // namespace heddle::ui
