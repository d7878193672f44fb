// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/run/system_series.h"
#include "storage/run_query.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::app {

/// A series of kSystemSeries over all attempts of a run, in the unit of the series.
struct SystemUse {
    SystemSeries series;
    double mean = 0, highest = 0;
    std::int64_t n = 0;  ///< recorded values
};

/// Returns the use of each series that the run recorded, in the order of kSystemSeries.
std::vector<SystemUse> systemUseOf(storage::RunQuery& query, const std::string& run);

/// A table for people; empty where nothing was recorded.
std::string systemText(const std::vector<SystemUse>& use);

/// [{"name","unit","mean","maximum","n"}]
Json systemDocument(const std::vector<SystemUse>& use);

}  // namespace heddle::app
