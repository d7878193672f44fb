// SPDX-License-Identifier: Apache-2.0
// How far the means of two groups of runs lie apart that differ in their seeds alone.
//
// It covers seeds: what initial weights, data order and dropout do to the value of a run. It says nothing of other data or test
// sentences, and it is no test of two variants: of several comparisons one lies above it more often, and the interval of a
// difference (seed_difference.h) is of that difference's own scatter. It assumes that all groups scatter alike.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct NoiseFloor {
    double deviation = 0;              ///< standard deviation of the runs of a group, pooled over the groups
    double freedom = 0;                ///< its degrees of freedom: runs less groups
    std::size_t groups = 0, runs = 0;  ///< that it is made from: groups of two runs and more
    std::size_t leftOut = 0;           ///< values that are no finite numbers
    bool operator==(const NoiseFloor&) const = default;

    /// The means of two groups of `n` ≥ 1 runs each differ by less in 95 % of repeats: t · deviation · √(2 ÷ n), t the 97.5 %
    /// quantile of Student's distribution with `freedom`. In units of the metric.
    double reach(std::size_t n) const;
    /// Returns the sentence "two means of 5 seeds differ by less than this in 95 % of repetitions; estimated from 15 runs in 3
    /// groups with equal settings"
    std::string text(std::size_t n) const;
};

/// From the values of the runs of each group, which differ in their seeds alone. Nothing where no group has two runs.
std::optional<NoiseFloor> noiseFloor(const std::vector<std::vector<double>>& groups);

}  // namespace heddle
