// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_query.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace heddle::app {

/// The gradient norm of one place (stack, layer or module), before clipping, over the recorded steps of a range.
struct GradientNorm {
    std::string path;
    double mean = 0, least = 0, largest = 0;  ///< of the L2 norms
    double share = 0;                         ///< Σ norm² of the place ÷ Σ norm² of the whole model, 0 to 1
    std::int64_t n = 0;                       ///< recorded steps
};

struct GradientNorms {
    std::int64_t firstStep = 0, lastStep = 0;  ///< recorded steps
    std::vector<GradientNorm> places;          ///< in model order, enclosing places first
};

struct StepRange {
    std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();
};

/// From the series "grad_norm" with a path; no places if none was recorded in the range.
GradientNorms gradientNormsOf(storage::RunQuery& query, const std::string& run, const StepRange& range);

}  // namespace heddle::app
