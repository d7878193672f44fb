// SPDX-License-Identifier: Apache-2.0
// What a recorded run had spent on its training steps by the time of an evaluation.
#pragma once

#include "storage/run_query.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

struct Effort {
    double seconds = 0;           ///< of the steps up to here, without evaluations and checkpoints
    std::optional<double> flops;  ///< forward and backward of their tokens; nothing where a token's FLOPs are not known
};

/// By each of `steps`. Steps that were not recorded count as the mean of the recorded ones before. A step whose time is missing
/// or no finite number counts as one that was not recorded. `flopsPerToken`: as ReportedRun::flops. Empty where the run has no
/// recorded times. Throws storage::StorageError.
std::map<double, Effort> effortAt(storage::RunQuery& query, const std::string& run, const std::vector<double>& steps,
                                  std::optional<double> flopsPerToken);

}  // namespace heddle::app
