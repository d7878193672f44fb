// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "storage/run_query.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::app {

/// What a run cost, by the clock of its machine. Times are seconds, over all attempts; what an attempt had to do again after an
/// interruption counts again.
struct Efficiency {
    double seconds = 0;          ///< everything: preparing the data, pauses, the test split
    double trainingSeconds = 0;  ///< in state running, without the test split: steps, validation, checkpoints, recording
    std::optional<double> secondsPerEpoch;    ///< trainingSeconds × steps an epoch ÷ steps; needs no whole epoch
    std::string bestMetric;                   ///< of the validation split: train.early_stopping.metric
    std::optional<std::int64_t> stepsToBest;  ///< until the first evaluation with the best value of it
    std::optional<double> secondsToBest;      ///< trainingSeconds when that evaluation was over
};

/// From what is recorded, of a live run as far as it got. What is not known, such as the best of a run without validation, is
/// left out.
Efficiency efficiencyOf(storage::RunQuery& query, const storage::RunRecord& run);

/// The members of "heddle.run/1" that tell it: seconds, training_seconds, seconds_per_epoch, best_metric, steps_to_best,
/// seconds_to_best; null where it is not known.
Json efficiencyDocument(const Efficiency& efficiency);

}  // namespace heddle::app
