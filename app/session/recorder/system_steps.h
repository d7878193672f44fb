// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/recorder/system_meter.h"
#include "engine/run/events.h"

#include <cstdint>
#include <map>
#include <string_view>

namespace heddle::app {

/// Turns readings, which are made at equal times, into series over steps. A chunk of a series has equal distances
/// (storage/series_writer.h), so the recorded steps are multiples of a power of two that follows the speed of the training:
/// about one value a reading. A value is the mean of the readings since the value before.
class SystemSteps {
public:
    explicit SystemSteps(std::int64_t firstStep) : recorded_(firstStep), seen_(firstStep) {}

    /// A reading made when the training was at `step`, which never decreases. Returns the series that are due, maybe none.
    StepBlock add(std::int64_t step, const SystemReading& reading);
    /// The last value, at the step where the attempt ended; no series if no step was taken since the value before.
    StepBlock finish(std::int64_t step, const SystemReading& reading);

private:
    struct Sum {
        double sum = 0;
        std::int64_t n = 0;
    };
    void sum(const SystemReading& reading);
    StepBlock take(std::int64_t first, std::int64_t stride, std::int64_t count);

    std::int64_t recorded_;  ///< the last step with a value; the attempt's first step at the beginning
    std::int64_t seen_;      ///< at the reading before
    std::int64_t stride_ = 0;
    std::map<std::string_view, Sum> sums_;
};

}  // namespace heddle::app
