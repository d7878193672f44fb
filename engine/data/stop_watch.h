// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle {

/// The error that every interrupted reading, training, encoding or evaluation ends with: code Failure, problem "stopped".
[[noreturn]] void throwStopped(const std::string& where);

/// Asks `stopRequested` once in a while, and throws Error("stopped") on yes.
class StopWatch {
public:
    explicit StopWatch(const std::function<bool()>& stopRequested) : stopRequested_(stopRequested) {}
    void tick() {
        if (++ticks_ % 4096 == 0) ask();
    }
    void ask() const {
        if (stopRequested_ && stopRequested_()) throwStopped("preparing data");
    }

private:
    const std::function<bool()>& stopRequested_;
    std::int64_t ticks_ = 0;
};

}  // namespace heddle
