// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <chrono>
#include <cstddef>
#include <map>

namespace heddle::app {

/// The time of one active run, by the number of runs that were active, this one among them. Not thread-safe.
class Company {
public:
    /// Adds the time since the last call, or since construction, to that of `runs` active runs.
    void passed(std::size_t runs);
    /// Summarizes the time that was counted; says one run if none was.
    RunsAtOnce told() const;

private:
    std::map<std::size_t, double> seconds_;
    std::chrono::steady_clock::time_point countedTo_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::app
