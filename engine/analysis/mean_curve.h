// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

namespace heddle {

/// Mean and range of several curves at one place.
struct MeanPoint {
    double x = 0, mean = 0, low = 0, high = 0;
    bool operator==(const MeanPoint&) const = default;
};

/// The mean and range of curves (pairs of x and y) at the places that all of them have, ascending. Of a place that a curve has
/// twice, as after a resumption, the later value counts.
std::vector<MeanPoint> meanCurve(const std::vector<std::vector<std::pair<double, double>>>& curves);

}  // namespace heddle
