// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks at round numbers, with the digits that distinguish them, for plots that paint their own axes.
#pragma once

#include "ui/plot/axis_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heddle::ui {

struct AxisTicks {
    std::vector<double> at;
    int decimals = 0;
};

/// At most about `most` ticks on multiples of 1, 2, 5 × 10ⁿ.
inline AxisTicks ticksOf(const Extent& extent, double most) {
    const double tick = roundUp125((extent.high - extent.low) / std::max(2.0, most));
    AxisTicks ticks{{}, std::max(0, int(-std::floor(std::log10(tick) + 1e-9)))};
    for (double place = std::ceil(extent.low / tick - 1e-9); place * tick <= extent.high + tick * 1e-6; ++place)
        ticks.at.push_back(place == 0 ? 0 : place * tick);
    return ticks;
}

}  // namespace heddle::ui
