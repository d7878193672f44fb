// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/noise_floor.h"

#include "engine/analysis/distributions.h"
#include "engine/analysis/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace heddle {

double NoiseFloor::reach(std::size_t n) const {
    return studentQuantile(0.975, freedom) * deviation * std::sqrt(2 / static_cast<double>(n));
}

std::string NoiseFloor::text(std::size_t n) const {
    std::string words = fmt::format("two means of {} differ by less than this in 95 % of repetitions; estimated from {} runs ",
                                    n == 1 ? "one seed" : fmt::format("{} seeds", n), runs);
    words += groups == 1 ? "with equal settings" : fmt::format("in {} groups with equal settings", groups);
    if (leftOut > 0) words += fmt::format("; {} without a finite value left out", leftOut);
    return words;
}

std::optional<NoiseFloor> noiseFloor(const std::vector<std::vector<double>>& groups) {
    NoiseFloor floor;
    double squares = 0;
    for (const auto& group : groups) {
        std::vector<double> finite;
        std::copy_if(group.begin(), group.end(), std::back_inserter(finite), [](double value) { return std::isfinite(value); });
        floor.leftOut += group.size() - finite.size();
        if (finite.size() < 2) continue;
        const double deviation = spreadOf(finite).deviation.value();
        const double freedom = static_cast<double>(finite.size()) - 1;
        squares += freedom * deviation * deviation;
        floor.freedom += freedom;
        floor.runs += finite.size();
        ++floor.groups;
    }
    if (floor.groups == 0) return {};
    floor.deviation = std::sqrt(squares / floor.freedom);
    return floor;
}

}  // namespace heddle
