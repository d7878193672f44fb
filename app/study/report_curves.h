// SPDX-License-Identifier: Apache-2.0
// The learning curves of a study's rows beside the baseline's, at the level of the verdict's intervals.
#pragma once

#include "engine/analysis/curve_difference.h"
#include "engine/analysis/study.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Of one row, over the runs that count.
struct RowAlong {
    std::string row;
    TargetReached reached;
    std::optional<CurveDifference> difference;  ///< nothing for the baseline, and for a row that is not looked at yet
};

struct CurvesAlong {
    double target = 0;           ///< the mean of the last values of the baseline's runs
    std::vector<RowAlong> rows;  ///< that have curves, in the study's order
};

/// `curves`: of each row that of each seed, over steps. Their differences are made at kMostPlaces steps at most, evenly chosen.
/// Nothing where the baseline has no curve of two evaluations.
std::optional<CurvesAlong> curvesAlong(const Study& study, const StudyVerdict& verdict,
                                       const std::map<std::string, SeedCurves>& curves);

inline constexpr std::size_t kMostPlaces = 100;

}  // namespace heddle::app
