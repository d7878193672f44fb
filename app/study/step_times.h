// SPDX-License-Identifier: Apache-2.0
// How long a recorded run's steps took, and where.
#pragma once

#include "storage/run_query.h"

#include <cstdint>
#include <string>

namespace heddle::app {

struct StepTimes {
    std::int64_t steps = 0;  ///< that the run was trained for
    double seconds = 0;      ///< of a step on average, without evaluations, checkpoints and the first step, which warms up
    std::string place;       ///< "cpu of host a, 2 threads": device, host, threads, and how many runs trained at once
    std::string problem;     ///< why there is no time: "has no recorded times of steps"; empty: there is one
    std::string next = {};   ///< what to do about that; empty: the usual
};

/// Of a completed run.
StepTimes stepTimesOf(storage::RunQuery& query, const storage::RunRecord& run);

}  // namespace heddle::app
