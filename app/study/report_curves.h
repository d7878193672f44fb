// SPDX-License-Identifier: Apache-2.0
// The learning curves of a study's rows beside the baseline's, at the level of the verdict's intervals.
#pragma once

#include "app/study/effort.h"
#include "engine/analysis/curve_difference.h"
#include "engine/analysis/study.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Of one row, over the runs that count.
struct RowAlong {
    std::string row;
    TargetReached reached;                      ///< over steps
    std::optional<double> seconds, flops;       ///< medians of what the runs had spent by then, as TargetReached::median
    std::optional<CurveDifference> difference;  ///< nothing for the baseline, and for a row that is not looked at yet
};

struct CurvesAlong {
    double target = 0;           ///< the mean of the last values of the baseline's runs
    std::vector<RowAlong> rows;  ///< that have curves, in the study's order
};

/// What each run of a row had spent by its evaluations: by seed, then by step.
using SeedEfforts = std::map<std::uint64_t, std::map<double, Effort>>;

/// `curves` and `efforts` are by row, then by seed; the curves are over steps. Differences are taken at kMostPlaces steps at
/// most, evenly spaced. Nothing if no run of the baseline has two evaluations.
std::optional<CurvesAlong> curvesAlong(const Study& study, const StudyVerdict& verdict,
                                       const std::map<std::string, SeedCurves>& curves,
                                       const std::map<std::string, SeedEfforts>& efforts = {});

inline constexpr std::size_t kMostPlaces = 100;

}  // namespace heddle::app
