// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <chrono>
#include <cstddef>
#include <map>

namespace heddle::app {

/// How many runs were active, for how long, while one run was. Not thread-safe.
class Company {
public:
    /// Counts the time since the last call, or since it was made, as one of so many active runs.
    void passed(std::size_t runs);
    /// Of the time counted so far; before any, one run.
    RunsAtOnce told() const;

private:
    std::map<std::size_t, double> seconds_;
    std::chrono::steady_clock::time_point countedTo_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::app
