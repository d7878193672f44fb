// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <utility>

namespace heddle::ui {

/// Makes one request at a time; requests that come while one is on its way become one more after its answer.
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
