// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/comparison.h"
#include "engine/analysis/scaling_fit.h"
#include "engine/base/json_fwd.h"

#include <string>
#include <vector>

namespace heddle::app {

/// The power law of `heddle compare --scaling`, over the counted runs of a comparison's groups.
struct ComparedScaling {
    std::string by;                    ///< "parameters" or "flops"
    std::string metric;                ///< "valid loss": the last value of each run; empty: no run has a loss
    std::vector<std::string> leftOut;  ///< ids of counted runs without size or comparable loss
    ScalingFit fit;
};

/// Throws Error(Usage) where `by` is neither parameters nor flops.
void requireScaling(const std::string& by);

/// Sizes by "parameters", or by "flops": of training for a source and a target token (countCost()), since the tokens that a run
/// read are not recorded. 95 % intervals. Throws storage::StorageError.
ComparedScaling scalingOf(const Comparison& comparison, const std::string& by, storage::RunQuery& query);

Json scalingDocument(const ComparedScaling& scaling);
std::string scalingText(const ComparedScaling& scaling);

}  // namespace heddle::app
