// SPDX-License-Identifier: Apache-2.0
// The distributions that tests and intervals need. Boost.Math computes them; nothing else includes it.
#pragma once

#include <cstddef>
#include <optional>

namespace heddle {

/// The number of ways to choose `k` of `n`.
double combinations(std::size_t n, std::size_t k);

/// P(X ≤ x) of the normal distribution with mean 0 and variance 1, and its inverse; `p` between 0 and 1.
double normalProbability(double x);
double normalQuantile(double p);

/// The p-quantile of Student's t with `freedom` > 0 degrees of freedom.
double studentQuantile(double p, double freedom);
/// P(|T| ≥ |t|) and P(T ≥ t) of Student's t.
double studentBothTails(double t, double freedom);
double studentUpperTail(double t, double freedom);

/// The power of a two-sided t test of level `alpha`: the probability that |T| reaches its critical value, where T is the
/// non-central t. `shift`: its non-centrality, which is the true difference in standard errors.
double studentPower(double shift, double freedom, double alpha);
/// The shift > 0 that has this power, which must be above `alpha`. Nothing where the test's critical value is above 1,000
/// (a very small `alpha`): Boost then computes the non-central t for minutes.
std::optional<double> studentShift(double power, double freedom, double alpha);

}  // namespace heddle
