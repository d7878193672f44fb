// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle {

/// The error that every interrupted reading, training, encoding or evaluation ends with: code Failure, problem "stopped".
[[noreturn]] void throwStopped(const std::string& where);

/// Tells a loop that it shall end: throws Error("stopped") once `stopRequested` returns true.
class CancellationToken {
public:
    explicit CancellationToken(const std::function<bool()>& stopRequested) : stopRequested_(stopRequested) {}
    /// For every element of a loop: asks once in 4,096 calls.
    void tick() {
        if (++ticks_ % 4096 == 0) check();
    }
    void check() const {
        if (stopRequested_ && stopRequested_()) throwStopped("preparing data");
    }

private:
    const std::function<bool()>& stopRequested_;
    std::int64_t ticks_ = 0;
};

}  // namespace heddle
