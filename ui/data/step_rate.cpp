// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/step_rate.h"

#include <algorithm>
#include <cmath>

namespace heddle::ui {

std::optional<double> secondsPerStep(storage::RunQuery& query, const std::string& run, std::int64_t step) {
    constexpr std::int64_t kSteps = 200;
    double seconds = 0;
    int steps = 0;
    for (const auto& point : query.points(run, "step_seconds", "", std::max<std::int64_t>(0, step - kSteps), step)) {
        if (!std::isfinite(point.value)) continue;
        seconds += double(point.value);
        ++steps;
    }
    return steps > 1 && seconds > 0 ? std::optional(seconds / steps) : std::nullopt;
}

}  // namespace heddle::ui
