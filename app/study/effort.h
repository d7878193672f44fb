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
    std::optional<double> flops;  ///< forward and backward pass of their tokens; nothing: not known
};

/// Returns what the run had spent at each of `steps`, without those before its first recorded time. Steps without a recorded,
/// finite time count as the mean of the recorded ones before. `flopsPerToken`: as ReportedRun::flops. Throws
/// storage::StorageError.
std::map<double, Effort> effortAt(storage::RunQuery& query, const std::string& run, const std::vector<double>& steps,
                                  std::optional<double> flopsPerToken);

}  // namespace heddle::app
