// SPDX-License-Identifier: Apache-2.0
// A power law through the losses of runs of several sizes: L(N) = a · N^(−b), and L(N) = a · N^(−b) + c with four sizes and
// more (Kaplan et al. 2020; Hoffmann et al. 2022). N: parameters, tokens or FLOPs.
//
// Least squares of log L, as relative scatter is alike at all sizes. Intervals are of the delta method with Student's quantile
// (runs − parameters of the law). They cover the scatter of these runs around a law that is taken for true: whether it holds
// beyond the largest size is not known from them. If the sizes are not tuned equally well, the law shows the tuning, too.
// With two seeds of a size the runs say how much seeds scatter; with one they scatter around the law alone.
//
// Simulated (tests/simulations) with relative scatter of 0.5 %: the 95 % intervals of the exponent hold the truth for 95 % of
// the sets, of 3 runs of each of 3 sizes (1 to 25) without a floor as of 5 sizes (1 to 100) with one.
#pragma once

#include "engine/analysis/seed_difference.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct SizedRun {
    double size = 0, loss = 0;
};

struct Estimate {
    double value = 0;
    Interval interval;
};

struct ScalingFit {
    std::size_t n = 0, sizes = 0;      ///< runs, and different sizes among them
    std::optional<Estimate> exponent;  ///< b; of a law with c where `floor` has a value
    std::optional<Estimate> floor;     ///< c, which more size does not go below
    double factor = 0;                 ///< a
    double scatter = 0;                ///< standard deviation of log L around the law: 0.01 is about 1 %
    double freedom = 0;                ///< runs less parameters of the law
    std::string whyNone;               ///< why there is no law, in a few words; empty: there is one
    std::string whyNoFloor;            ///< why the law has no c; empty: it has one, or there is no law

    /// The loss of the law at a size, with the interval of the mean of many runs there; between the sizes and, if the law holds
    /// there, beyond them. Nothing where there is no law.
    std::optional<Estimate> at(double size) const;

    double middle = 0, quantile = 0;                    ///< what at() needs: mean of log N, Student's quantile,
    std::array<double, 3> parameters{};                 ///< log a − b · middle, b, c,
    std::array<std::array<double, 3>, 3> covariance{};  ///< and their covariance
};

/// `alpha`: 1 − the level of the intervals. No law below three sizes, or with as few runs as parameters. The floor is left out,
/// and whyNoFloor says why, with three sizes and where the runs do not tell it: if it would be 0 or less, or if the interval of
/// the exponent beside it has 0 in it. Throws std::invalid_argument where `alpha` is not between 0 and 1.
ScalingFit scalingFit(const std::vector<SizedRun>& runs, double alpha);

}  // namespace heddle
