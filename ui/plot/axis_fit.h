// SPDX-License-Identifier: GPL-3.0-or-later
// Axis ends on round numbers. The ends of a live axis move by whole ticks, and the axis does not move in between.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace heddle::ui {

struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    bool empty() const { return high < low; }
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void add(const Extent& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

/// The smallest of `leads` × 10ⁿ that is at least `value` (> 0). The leads ascend from 1 and stay below 10.
inline double roundUp(double value, std::initializer_list<double> leads) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double lead : leads)
        if (lead * power >= value * (1 - 1e-9)) return lead * power;
    return 10 * power;
}
inline double roundUp125(double value) { return roundUp(value, {1, 2, 5}); }

/// The end of an axis of steps while a run is in training: the least of 1, 1.5, 2, 3, 4, 5, 6, 8 × 10ⁿ that leaves a fiftieth
/// free.
inline double reachOf(double step) { return step < 1 ? 10 : std::max(10.0, roundUp(1.02 * step, {1, 1.5, 2, 3, 4, 5, 6, 8})); }

/// Both ends on multiples of half a tick when there are about six ticks; 0 to 1 when empty.
inline Extent niceExtent(Extent values) {
    if (values.empty()) return {0, 1};
    if (values.high == values.low) {  // a twentieth to both sides: enough to see that the line is flat
        const double half = values.low == 0 ? 0.5 : std::abs(values.low) / 20;
        return {values.low - half, values.high + half};
    }
    const double margin = 0.02 * (values.high - values.low);
    const double unit = roundUp125((values.high - values.low) / 6) / 2;
    return {std::floor((values.low - margin) / unit) * unit, std::ceil((values.high + margin) / unit) * unit};
}

/// Ends at 1, 2, 5 × 10ⁿ. Values below 10⁻¹² or a billionth of the greatest, negative ones among them, are ignored.
inline Extent niceLogExtent(Extent values) {
    if (values.empty() || values.high <= 0) return {0.1, 1};
    const double low = std::max(values.low, std::max(values.high * 1e-9, 1e-12));
    Extent nice{0, roundUp125(values.high)};
    nice.low = 1 / roundUp125(1 / low);
    if (nice.low >= nice.high) nice.low = nice.high / 10;
    return nice;
}

}  // namespace heddle::ui
