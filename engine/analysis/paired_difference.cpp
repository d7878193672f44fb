// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/paired_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace heddle {
namespace {

/// P(|T| > t) for Student's t with `freedom` = ν degrees of freedom: the regularised incomplete beta function I_x(ν/2, 1/2)
/// with x = ν ÷ (ν + t²), by its continued fraction (DLMF 8.17.22) and Lentz's method.
double bothTails(double freedom, double t) {
    const double a = freedom / 2, b = 0.5, x = freedom / (freedom + t * t);
    const bool isFlipped = x > (a + 1) / (a + b + 2);
    const double p = isFlipped ? b : a, q = isFlipped ? a : b, y = isFlipped ? 1 - x : x;
    constexpr double kTiny = 1e-300;
    double c = 1, d = 1 - (p + q) * y / (p + 1);
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    double fraction = d;
    for (int m = 1; m < 1000; ++m) {
        for (const bool isEven : {true, false}) {
            const double numerator = isEven ? m * (q - m) * y / ((p + 2 * m - 1) * (p + 2 * m))
                                            : -(p + m) * (p + q + m) * y / ((p + 2 * m) * (p + 2 * m + 1));
            d = 1 + numerator * d;
            c = 1 + numerator / c;
            d = 1 / (std::abs(d) < kTiny ? kTiny : d);
            if (std::abs(c) < kTiny) c = kTiny;
            fraction *= c * d;
        }
        if (std::abs(c * d - 1) < 1e-15) break;
    }
    const double front =
        std::exp(std::lgamma(p + q) - std::lgamma(p) - std::lgamma(q) + p * std::log(y) + q * std::log1p(-y)) / p;
    return isFlipped ? 1 - front * fraction : front * fraction;
}

}  // namespace

double studentQuantile975(std::int64_t freedom) {
    if (freedom < 1) throw std::invalid_argument("a t distribution without degrees of freedom");
    double low = 1.9, high = 13;  // the quantile is 1.96 for infinitely many degrees of freedom, 12.71 for one
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (bothTails(static_cast<double>(freedom), middle) > 0.05 ? low : high) = middle;
    }
    return (low + high) / 2;
}

std::optional<double> jackknifeHalfWidth(const std::vector<double>& leftOut) {
    if (leftOut.size() < 2) return std::nullopt;
    const auto n = static_cast<double>(leftOut.size());
    const double mean = std::accumulate(leftOut.begin(), leftOut.end(), 0.0) / n;
    double squares = 0;
    for (const double value : leftOut) squares += (value - mean) * (value - mean);
    return studentQuantile975(std::ssize(leftOut) - 1) * std::sqrt((n - 1) / n * squares);
}

PairedDifference pairedDifference(const std::vector<PairedExample>& examples) {
    double weight = 0, before = 0, after = 0;
    PairedDifference found;
    for (const PairedExample& one : examples) {
        if (one.weight <= 0) continue;
        weight += one.weight, before += one.before, after += one.after;
        ++found.n;
    }
    if (found.n == 0) throw std::invalid_argument("a difference of no examples");
    found.difference = (after - before) / weight;
    if (found.n < 2) return found;
    double squares = 0;
    for (const PairedExample& one : examples) {
        if (one.weight <= 0) continue;
        const double e = one.after - one.before - found.difference * one.weight;
        squares += e * e;
    }
    const auto n = static_cast<double>(found.n);
    found.halfWidth = studentQuantile975(found.n - 1) * std::sqrt(n / (n - 1) * squares) / weight;
    return found;
}

}  // namespace heddle
