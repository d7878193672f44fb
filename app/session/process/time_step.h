// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"

#include <cstdint>
#include <functional>

namespace heddle::app {

/// Seconds of a training step: median, minimum and maximum over the repeats.
struct StepTiming {
    double median = 0, least = 0, most = 0;
};

/// Times the training steps of a run spec, whose vocabularies must be known: runs `heddle bench step` with the lowest priority
/// and waits for it, some seconds. Throws Error when the steps cannot be timed or when `stopRequested` returns true.
StepTiming timeStep(const Json& run, const std::function<bool()>& stopRequested);

/// The steps of a run spec at most, 0 where only its patience ends it: runs `heddle train --dry-run` with the lowest priority,
/// which reads the data as training would, and waits for it. Throws Error when the run cannot be trained or when
/// `stopRequested` returns true.
std::int64_t countSteps(const Json& run, const std::function<bool()>& stopRequested);

}  // namespace heddle::app
