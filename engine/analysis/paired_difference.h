// SPDX-License-Identifier: Apache-2.0
// How much a metric that is a ratio of sums over examples (loss a token, accuracy) differs between two conditions that were
// measured on the same examples, and how sure that is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

/// One example: what it adds to the sum above the line under both conditions, and to the one below it (its tokens).
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
/// is the paired t interval. Throws std::invalid_argument where no example has a weight.
PairedDifference pairedDifference(const std::vector<PairedExample>& examples);

/// Half-width of the 95 % interval of a statistic of n examples, from its values with each of them left out (jackknife, Efron
/// and Tibshirani 1993, eq. 11.5): t(n−1, 0.975) · √((n−1) ÷ n · Σ (θ₍ᵢ₎ − θ̄)²). Absent for fewer than two examples. For
/// statistics that are smooth functions of sums, like BLEU.
std::optional<double> jackknifeHalfWidth(const std::vector<double>& leftOut);

/// The 97.5 % quantile of Student's t distribution; `freedom` at least 1.
double studentQuantile975(std::int64_t freedom);

}  // namespace heddle
