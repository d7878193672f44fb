// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/text_file.h"

namespace heddle {

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
