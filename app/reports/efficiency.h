// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "storage/run_query.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::app {

/// Wall-clock times of a run in seconds, over all attempts; steps repeated after an interruption count again.
struct Efficiency {
    double seconds = 0;          ///< total, including data preparation, pauses and the test split
    double trainingSeconds = 0;  ///< in state running without the test split: steps, validation, checkpoints, recording
    std::optional<double> secondsPerEpoch;    ///< trainingSeconds × steps per epoch ÷ steps; also for incomplete epochs
    std::string bestMetric;                   ///< of the validation split: train.early_stopping.metric
    std::optional<std::int64_t> stepsToBest;  ///< up to the first evaluation with its best value
    std::optional<double> secondsToBest;      ///< trainingSeconds at the end of that evaluation
};

/// Computed from the records, also of a live run. Unknown values, such as the best of a run without validation, are absent.
Efficiency efficiencyOf(storage::RunQuery& query, const storage::RunRecord& run);

/// The members of "heddle.run/1": seconds, training_seconds, seconds_per_epoch, best_metric, steps_to_best, seconds_to_best;
/// null if unknown.
Json efficiencyDocument(const Efficiency& efficiency);

}  // namespace heddle::app
