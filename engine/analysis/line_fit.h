// SPDX-License-Identifier: Apache-2.0
// A straight line through points, by least squares of the vertical distances. It describes the points that are shown: runs that
// somebody chose are no sample of anything, so there is no p value.
#pragma once

#include "engine/analysis/seed_difference.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace heddle {

struct LineFit {
    double slope = 0, intercept = 0;
    double correlation = 0;            ///< Pearson's
    std::size_t n = 0;                 ///< points that are finite in both
    std::optional<Interval> interval;  ///< of the slope, by Student's t with n − 2 degrees of freedom; from three points
};

/// `x` and `y` are of equal length; points that are not finite are left out. Nothing below two different x, or where all y are
/// equal. `alpha`: 1 − the level of the interval. Throws std::invalid_argument for unequal lengths.
std::optional<LineFit> lineFit(const std::vector<double>& x, const std::vector<double>& y, double alpha = 0.05);

}  // namespace heddle
