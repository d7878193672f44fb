// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/train_bench.h"

namespace heddle {

/// Trains the workload's model on its batches with the step, the telemetry and the gate histograms of a run, and times it.
TrainBenchRow runTrainBench(const TrainBenchRequest& request);

}  // namespace heddle
