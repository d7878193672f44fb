// SPDX-License-Identifier: Apache-2.0
// Which checkpoints the mean of the last ones is of, and whether its values are recorded.
#pragma once

#include "storage/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::storage {

class RunQuery;

/// The steps of the newest `count` of the checkpoints of kinds "step" and "last", ascending; fewer where there are fewer.
std::vector<std::int64_t> newestSteps(const std::vector<CheckpointRecord>& checkpoints, std::int64_t count);

/// Whether an attempt after `attempt` wrote the checkpoint of one of these steps again, as after a resume from an earlier one.
bool areRewritten(const std::vector<std::int64_t>& steps, const std::vector<CheckpointRecord>& checkpoints,
                  std::int64_t attempt);

/// Whether the run has a value on `split`, that of the mean of its last `count` checkpoints, which is still of them: since then
/// none of them was written again, and none followed. Checkpoints that are no longer kept change nothing.
bool isAverageEvaluated(RunQuery& query, const std::string& run, const std::string& split, std::int64_t count);

}  // namespace heddle::storage
