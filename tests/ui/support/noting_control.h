// SPDX-License-Identifier: GPL-3.0-or-later
// A control that trains nothing and records its calls.
#pragma once

#include "engine/run/run_control.h"

#include <mutex>
#include <string>
#include <vector>

namespace heddle::ui::test {

/// Derived classes choose which calls are recorded, and their texts.
class NotingControl : public RunControl {
public:
    void ask(const std::string&, const Json&, std::function<void(bool, const Json&)>) override {}
    std::vector<std::string> calls() {
        const std::lock_guard lock(mutex_);
        return calls_;
    }

protected:
    void note(const std::string& call) {
        const std::lock_guard lock(mutex_);
        calls_.push_back(call);
    }

private:
    std::mutex mutex_;
    std::vector<std::string> calls_;
};

}  // namespace heddle::ui::test
