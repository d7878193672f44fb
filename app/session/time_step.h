// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <functional>

namespace heddle::app {

/// Seconds of a training step: median, minimum and maximum over the repeats.
struct StepTiming {
    double median = 0, least = 0, most = 0;
};

/// Times the training steps of a run spec with known vocabularies by `heddle bench step`, in a process of its own with the
/// lowest priority; takes seconds. Throws Error when it cannot be timed, and when `stopRequested` returns true meanwhile.
StepTiming timeStep(const Json& run, const std::function<bool()>& stopRequested);

}  // namespace heddle::app
