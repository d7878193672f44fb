// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"
#include "storage/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// New limits for continuing a run beyond its spec.
struct Extension {
    std::optional<std::int64_t> epochs, steps;  ///< new limits; they replace train.epochs, train.steps and train.budget
    std::optional<std::int64_t> patience;       ///< of early stopping; 0: none
    std::optional<std::int64_t> scheduleSteps;  ///< where the schedule ends; by default where it ended before

    bool isEmpty() const { return !epochs && !steps && !patience && !scheduleSteps; }
};

/// The run's spec with the new limits. A schedule that ends with the run keeps its end. The extension is noted in
/// train.extended, and so in the run's hash, where the run is not the one that the new limits would have given from the start.
/// Throws Error(Usage) when the run has already reached the limits, or when early stopping ended it and would end it again.
RunSpec extended(RunSpec spec, const storage::RunRecord& run, const Extension& extension);

/// "extended after step 20: not the run that these limits give from the start"; empty for a run without extension.
std::string extensionText(const storage::RunRecord& run);

}  // namespace heddle::app
