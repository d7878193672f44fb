// SPDX-License-Identifier: Apache-2.0
// Tests of two variants over seeds that use the order of the values and not their size: for studies that asked for them before
// they looked. One run that diverged moves a mean as far as it likes, and a rank by one place.
//
// They cover seeds alone, as seed_difference.h. Wilcoxon's test assumes that a difference of a pair and its opposite are
// equally likely where there is no difference; Mann and Whitney's that all runs have one distribution then: unequal scatter
// alone may reject it.
#pragma once

#include "engine/analysis/seed_difference.h"

namespace heddle {

struct RankDifference {
    SeedTest test = SeedTest::Paired;
    /// Of the differences of pairs; without pairs the median of the variant less that of the baseline. Nothing without values.
    std::optional<double> median;
    std::size_t n = 0, nBaseline = 0;  ///< runs that are used; equal in pairs
    std::size_t equal = 0;             ///< pairs without a difference, which have no rank and are left out of p
    std::optional<double> p;           ///< exact and two-sided: twice the smaller tail, at most 1
    double least = 1;                  ///< the smallest p that so many values without ties can have
    std::string whyNone;               ///< why there is no p, in a few words; empty: there is one
};

/// Pairs: Wilcoxon's signed rank test (1945). No pairs (SeedTest::Welch): the rank sum test of Mann and Whitney (1947). Exact,
/// with ties: equal values share the mean of their ranks, and p is of all assignments of these ranks. For at most kMostRanked
/// runs of both variants; an infinite value has the highest or lowest rank, NaN gives no test.
RankDifference rankDifference(const SeedValues& variant, const SeedValues& baseline, SeedTest test);

inline constexpr std::size_t kMostRanked = 100;

}  // namespace heddle
