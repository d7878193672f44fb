// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/run/system_series.h"
#include "storage/run_query.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::app {

/// Mean and maximum of one of the kSystemSeries (processor, memory, GPU …) over all attempts of a run, in the unit of the
/// series.
struct SystemUse {
    SystemSeries series;
    double mean = 0, highest = 0;
    std::int64_t n = 0;  ///< number of recorded values
};

/// One SystemUse for each of the kSystemSeries that the run has recorded, in their order.
std::vector<SystemUse> systemUseOf(storage::RunQuery& query, const std::string& run);

/// A table for people to read; empty if nothing was recorded.
std::string systemText(const std::vector<SystemUse>& use);

/// [{"name","unit","mean","maximum","n"}]
Json systemDocument(const std::vector<SystemUse>& use);

}  // namespace heddle::app
