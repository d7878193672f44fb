// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/batch.h"
#include "engine/run/train_bench.h"

#include <optional>
#include <vector>

namespace heddle {

/// Times training steps of the workload's model, with the telemetry and the gate histograms of a run, on batches that the seed
/// determines.
TrainBenchRow runTrainBench(const TrainBenchRequest& request);
/// Times the same training steps on the given batches. Throws Error(InvalidInput) when there are none.
TrainBenchRow runTrainBench(const TrainBenchRequest& request, std::vector<Batch> batches);

/// Seconds since this process started; nothing when the system does not report it.
std::optional<double> processAge();

}  // namespace heddle
