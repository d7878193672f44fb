// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/train_bench.h"

namespace heddle {

/// Times training steps of the workload's model, with the telemetry and the gate histograms of a run.
TrainBenchRow runTrainBench(const TrainBenchRequest& request);

}  // namespace heddle
