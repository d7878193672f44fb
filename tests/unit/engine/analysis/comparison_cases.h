// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/seed_difference.h"
#include "engine/base/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

namespace heddle {

/// Committed numbers of other programs, or those that tests/oracle gives through an environment variable.
inline Json oracleCases(const char* variable, const std::string& file) {
    const char* const given = std::getenv(variable);
    std::ifstream stream(given ? given : HEDDLE_SOURCE_DIR "/tests/unit/engine/analysis/cases/" + file);
    return Json::parse(stream);
}

/// Of scipy and statsmodels (tests/oracle/comparisons_oracle.py).
inline const Json& comparisonCases() {
    static const Json all = oracleCases("HEDDLE_COMPARISON_CASES", "comparison_cases.json");
    return all;
}

/// Equal to `tolerance`, of large and of small numbers.
inline testing::AssertionResult isNear(double value, const Json& expected, double tolerance = 1e-9) {
    const double wanted = expected.get<double>();
    if (std::abs(value - wanted) <= tolerance * std::max(1.0, std::abs(wanted))) return testing::AssertionSuccess();
    return testing::AssertionFailure() << value << " instead of " << wanted;
}

inline SeedTest testOf(const Json& one) { return one.at("test") == "paired" ? SeedTest::Paired : SeedTest::Welch; }

}  // namespace heddle
