// SPDX-License-Identifier: Apache-2.0
// What the commands ask of the engine. Errors of LibTorch become errors of Heddle, as for users of the engine's library.
#pragma once

#include "engine/bench/train_bench.h"
#include "engine/verify/verify.h"
#include "tests/dev/engine/launch_count.h"

#include <vector>

namespace heddle::dev {

std::vector<VerifyCheck> checkedVerify(const VerifyRequest& request);
TrainBenchRow checkedBench(const TrainBenchRequest& request, const std::vector<Batch>& batches);
LaunchCounts checkedCount(const LaunchCountRequest& request);

}  // namespace heddle::dev
