// SPDX-License-Identifier: Apache-2.0
// Difference of a metric between two conditions measured on the same examples, with a confidence interval. The metric is a
// ratio of sums over examples (loss per token, accuracy), or a smooth function of such sums (BLEU, see bleu_difference.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// One example: its terms of the numerator under each condition and of the denominator (its tokens).
struct PairedExample {
    double before = 0, after = 0, weight = 0;
};

/// The interval of a difference at level 1 − alpha, and the two-sided p of "there is no difference": below alpha where 0 is
/// outside of the interval, and only there.
struct DifferenceInterval {
    double low = 0, high = 0, p = 1;
    bool operator==(const DifferenceInterval&) const = default;
};

struct PairedDifference {
    double difference = 0;  ///< Σ after ÷ Σ weight − Σ before ÷ Σ weight
    std::int64_t n = 0;     ///< examples with a weight
    std::optional<DifferenceInterval> interval;
    std::string whyNone;  ///< why there is no interval, in a few words; empty: there is one
};

/// With fewer examples, or a change that rests on fewer of them, no interval holds what it promises, and none is given.
/// A change rests on (Σ |d|)² ÷ Σ d² examples: on all that change if they change alike, on fewer if some change much more.
inline constexpr std::int64_t kFewestExamples = 20, kFewestChanged = 10;

/// Nor does one of n examples whose longer tail weighs more than kHeaviestTail − kTailPerExample ÷ n: a mean of such changes is
/// mostly below (or above) its expectation, and their own scatter does not show it. The weight is the share of the squared
/// deviations on that side less (Σ |d|)² ÷ (m Σ d²), for m changes d that are not 0. Simulated in paired_difference_test.cpp:
/// of lognormal losses with σ = 1.5 the intervals would hold the truth for 77 % of the sets of 50 examples, 91 % of 300.
/// That keeps the promise for the populations simulated there; nothing keeps it for all (Bahadur and Savage 1956). Of the
/// absolute values of t(2), 11 to 12 % of the sets of 50 or 100 are given an interval without the truth. Sharper rules were
/// tried (share of the largest e², sample skewness and kurtosis, Hill's estimator): if 95 % of the sets of exponential changes
/// are to keep their intervals, each leaves 10 % or more; so does, of sets of 50, the most powerful scale-invariant test of the
/// two.
inline constexpr double kHeaviestTail = 0.55, kTailPerExample = 7;

/// With d = after − before, D = Σ d ÷ Σ w and e = d − D w, the interval is that of the ratio estimator (linearised, Cochran
/// 1977, section 6.4) with σ̂² = n² ÷ (n−1) · Σ e² ÷ (Σ w)² and the quantiles of t(n−1), corrected for the skewness of e by
/// Hall's transformation (1992); the sample's skewness γ counts as γ³ ÷ (γ² + 4 v), v its own variance. Where every example has
/// one answer, which is right or wrong, it is Tango's score interval (1998), and p that of McNemar's test. `alpha`: 1 − the
/// level of the interval, 0.05 ÷ m for intervals of m differences that hold together (Bonferroni). Throws std::invalid_argument
/// when no example has a weight.
PairedDifference pairedDifference(const std::vector<PairedExample>& examples, double alpha = 0.05);

/// A statistic of a difference without one of the examples.
struct LeftOut {
    double value = 0;
    bool changes = true;  ///< false: the example is the same under both conditions
};

/// The same for a statistic that is a smooth function of sums, from its values with each example left out in turn: the
/// jackknife's deviations (n−1) ÷ n · (mean − value) stand for e ÷ Σ w. Its level is 95 %.
PairedDifference jackknifeDifference(double difference, const std::vector<LeftOut>& leftOut);

/// Holm's correction (1979) of some of `tests` p values for there being so many: with p ascending, the largest so far of
/// (tests − rank) · p, at most 1. In the order given.
std::vector<double> holmCorrected(const std::vector<double>& p, std::int64_t tests);

}  // namespace heddle
