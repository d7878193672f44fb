// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle {

/// Throws the error of every interrupted reading, training, encoding or evaluation: code Failure, problem "stopped".
[[noreturn]] void throwStopped(const std::string& where);

/// Ends a loop on request: throws Error("stopped") once `stopRequested` returns true.
class CancellationToken {
public:
    explicit CancellationToken(const std::function<bool()>& stopRequested) : stopRequested_(stopRequested) {}
    /// Call it for every element of a loop; every 4,096th call checks.
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
