// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

namespace heddle {

/// Mean, sample standard deviation (n − 1) and range of the runs of a table row. Boost.Math's statistics sum in another order,
/// which would change the last digits of stored results.
struct Spread {
    double mean = 0;
    std::optional<double> deviation;  ///< absent for a single value
    std::size_t n = 0;
    double low = 0, high = 0;  ///< the smallest and the largest value
};

/// The sum of the values, added in their order, ÷ their number; NaN when there are none.
inline double meanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Throws std::invalid_argument when there are no values.
inline Spread spreadOf(const std::vector<double>& values) {
    if (values.empty()) throw std::invalid_argument("the spread needs at least one value");
    Spread spread{0, std::nullopt, values.size(), 0, 0};
    const auto range = std::minmax_element(values.begin(), values.end());
    spread.low = *range.first;
    spread.high = *range.second;
    const auto n = static_cast<double>(values.size());
    for (const double value : values) spread.mean += value / n;
    if (values.size() < 2) return spread;
    double squares = 0;
    for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
    spread.deviation = std::sqrt(squares / (n - 1));
    return spread;
}

/// The median; the mean of the middle two for an even number of values. Needs at least one value.
inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace heddle
