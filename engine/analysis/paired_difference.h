// SPDX-License-Identifier: Apache-2.0
// Difference of a metric between two conditions measured on the same examples, with a confidence interval. The metric is a
// ratio of sums over examples: loss per token, accuracy.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

/// One example: its terms of the numerator under each condition and of the denominator (its tokens).
struct PairedExample {
    double before = 0, after = 0, weight = 0;
};

struct PairedDifference {
    double difference = 0;            ///< Σ after ÷ Σ weight − Σ before ÷ Σ weight
    std::optional<double> halfWidth;  ///< of the 95 % interval around it; absent for fewer than two examples
    std::int64_t n = 0;               ///< examples with a weight
};

/// The interval is that of the ratio estimator of paired differences (linearised, Cochran 1977, section 6.4): with d = after −
/// before, D = Σ d ÷ Σ w and e = d − D w its half-width is t(n−1, 0.975) · √(n ÷ (n−1) · Σ e²) ÷ Σ w. With equal weights that
/// is the paired t interval. Throws std::invalid_argument when no example has a weight.
PairedDifference pairedDifference(const std::vector<PairedExample>& examples);

/// Half-width of the 95 % interval of a statistic of n examples, from its n values with one example left out (jackknife, Efron
/// and Tibshirani 1993, eq. 11.5): t(n−1, 0.975) · √((n−1) ÷ n · Σ (θ₍ᵢ₎ − θ̄)²). Absent for fewer than two examples. Valid for
/// statistics that are smooth functions of sums, such as BLEU.
std::optional<double> jackknifeHalfWidth(const std::vector<double>& leftOut);

/// The 97.5 % quantile of Student's t distribution; `freedom` at least 1.
double studentQuantile975(std::int64_t freedom);

}  // namespace heddle
