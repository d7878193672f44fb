// SPDX-License-Identifier: Apache-2.0
// The learning curves of two variants over seeds: their difference with a band that holds at all places at once, the area
// between them, and how soon each run reaches a target.
//
// All of it covers seeds alone, as seed_difference.h. The band is made of t intervals of a level for each place, so small that
// all hold together: at one of many places chance alone goes far beyond the interval of one. It is the larger of two levels
// that are safe: alpha ÷ places (Bonferroni), and the level of c where Worsley's (1994) expected number of crossings by a t
// process is alpha:
//   P(max |T| ≥ c) ≤ 2 · [P(T_ν ≥ c) + L ÷ 2π · (1 + c² ÷ ν)^(−(ν−1)/2)],
// L, the length of the path of the standardised residuals, says how fast the curves' scatter changes. It is small where seeds
// lie apart all the way, however often they are evaluated. Values are taken for normal; ν is the mean of the places'.
//
// Simulated (tests/simulations): at 40 places the whole band holds the truth for 94.8 to 98.8 % of the sets of 3, 6 or 10
// pairs, for 96 to 99 % without pairs, whether scatter is white noise, wanders, or is that of seeds all the way. Bands from
// flipped signs of the residuals were tried: of 3 pairs they hold it for 0 to 60 %, from 6 on for 93 to 97 %.
#pragma once

#include "engine/analysis/seed_difference.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The curve of each seed's run: pairs of a place (a step, a time, FLOPs) and a value. Of a place that a curve has twice, as
/// after a resumption, the later value counts.
using SeedCurves = std::map<std::uint64_t, std::vector<std::pair<double, double>>>;

struct CurvePoint {
    double x = 0, difference = 0;
    std::optional<Interval> band;  ///< nothing where CurveDifference has no test
};

struct CurveDifference {
    std::vector<CurvePoint> points;    ///< ascending, where all curves have a finite value
    std::size_t leftOut = 0;           ///< places that not all curves have
    std::size_t n = 0, nBaseline = 0;  ///< runs that are used; equal in pairs
    std::vector<std::uint64_t> alone;  ///< seeds that only one of the two has, left out of pairs
    std::optional<double> level;       ///< of a single place: the band's intervals are of 1 − level
    std::string whyNone;               ///< why there is no band, in a few words; empty: there is one
    /// Of the mean heights of the curves from the first to the last place (trapezoids): the area between them ÷ their length.
    SeedDifference area;
};

/// `alpha`: 1 − the level of the band and of the area's interval. A band needs kFewestBandRuns runs of each variant. Throws
/// std::invalid_argument where `alpha` is not between 0 and 1.
CurveDifference curveDifference(const SeedCurves& variant, const SeedCurves& baseline, SeedTest test, double alpha);
inline constexpr std::size_t kFewestBandRuns = 3;

/// Where each run is as good as a target for the first time.
struct TargetReached {
    std::map<std::uint64_t, std::optional<double>> x;  ///< nothing: its curve ends before
    std::size_t reached = 0;                           ///< runs that reach it
    /// Runs that do not reach it count as later ones. Nothing where half of them or more do not, or where one ended so early
    /// that it might have come before the median.
    std::optional<double> median;

    /// "2 of 3 runs reach it"
    std::string text() const;
};

/// The first evaluated place whose value is `target` or better. The run may have reached it at any point since the evaluation
/// before.
TargetReached targetReached(const SeedCurves& curves, double target, bool lowerIsBetter);

}  // namespace heddle
