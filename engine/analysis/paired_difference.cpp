// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/paired_difference.h"

#include "engine/analysis/distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace heddle {
namespace {

/// How much the longer tail of the deviations decides: the share of Σ e² on its side less (Σ |d|)² ÷ (m Σ d²) of the m changes
/// d that are not 0. About 0 for changes like a normal or a Laplace distribution's, 0.2 like an exponential's, above 0.6 like a
/// lognormal's with σ = 1.5.
double tailWeight(const std::vector<double>& changes, const std::vector<double>& deviations) {
    double sum = 0, squares = 0, cubes = 0, above = 0, all = 0;
    for (const double change : changes) sum += std::abs(change), squares += change * change;
    for (const double e : deviations) {
        cubes += e * e * e, all += e * e;
        if (e > 0) above += e * e;
    }
    if (!(all > 0)) return 0;
    const auto changed = std::count_if(changes.begin(), changes.end(), [](double change) { return change != 0; });
    return (cubes > 0 ? above : all - above) / all - sum * sum / (static_cast<double>(changed) * squares);
}

/// Why `n` examples with these changes and deviations give no interval; empty: they do.
std::string whyTooFew(std::int64_t n, double difference, const std::vector<double>& changes,
                      const std::vector<double>& deviations) {
    if (!std::isfinite(difference)) return "the difference is not a finite number";
    if (n < kFewestExamples) return fmt::format("an interval needs at least {} examples; there are {}", kFewestExamples, n);
    double sum = 0, squares = 0;
    for (const double change : changes) sum += std::abs(change), squares += change * change;
    if (squares == 0) return "no example differs";
    if (const double resting = sum * sum / squares; resting < static_cast<double>(kFewestChanged) - 1e-9)
        return fmt::format("the difference rests on {:.0f} of {} examples; an interval needs at least {}",
                           std::max(1.0, std::floor(resting + 1e-9)), n, kFewestChanged);
    if (tailWeight(changes, deviations) > kHeaviestTail - kTailPerExample / static_cast<double>(n))
        return fmt::format(
            "a few examples differ far more than the others, all in one direction: {} examples are too few for an interval", n);
    return "";
}

/// Hall's transformation of (estimate − truth) ÷ σ̂ for n values of skewness γ, and its inverse.
struct Transformation {
    double skewness = 0, n = 0;

    double of(double s) const { return s + skewness * s * s / 3 + skewness * skewness * s * s * s / 27 + skewness / (6 * n); }
    double inverse(double y) const {
        if (std::abs(skewness) < 1e-6) return y;
        return 3 / skewness * (std::cbrt(1 + skewness * (y - skewness / (6 * n))) - 1);
    }
};

/// The skewness of deviations around 0, drawn towards 0 by as much as chance alone would make of it.
double steadySkewness(const std::vector<double>& deviations) {
    const auto n = static_cast<double>(deviations.size());
    double m2 = 0, m3 = 0, m4 = 0, m6 = 0;
    for (const double e : deviations) {
        const double square = e * e;
        m2 += square / n, m3 += square * e / n, m4 += square * square / n, m6 += square * square * square / n;
    }
    const double cube = m2 * m2 * m2;
    if (!(cube > 0) || m3 == 0) return 0;
    const double skewness = m3 / (m2 * std::sqrt(m2));
    const double variance = std::max(0.0, (m6 - 6 * m4 * m2 + 9 * cube - m3 * m3) / (n * cube));
    return skewness * (skewness * skewness) / (skewness * skewness + 4 * variance);
}

/// From the deviations that the examples add to the difference, which sum to 0.
std::optional<DifferenceInterval> skewedInterval(double difference, const std::vector<double>& deviations, double alpha) {
    const auto n = static_cast<double>(deviations.size());
    double squares = 0;
    for (const double e : deviations) squares += e * e;
    if (!(squares > 0)) return std::nullopt;
    const double error = std::sqrt(n / (n - 1) * squares), root = std::sqrt(n);
    const Transformation hall{steadySkewness(deviations), n};
    const double t = studentQuantile(1 - alpha / 2, n - 1);
    const double scale = error * root;
    return DifferenceInterval{difference - scale * hall.inverse(t / root), difference - scale * hall.inverse(-t / root),
                              studentBothTails(root * hall.of(difference / scale), n - 1)};
}

/// Tango's score statistic of "the difference of the shares is `assumed`": (gained − lost − n · assumed) ÷ its deviation.
double tangoScore(double gained, double lost, double n, double assumed) {
    const double middle = -(gained + lost) + (2 * n - gained + lost) * assumed;
    const double root = std::sqrt(std::max(0.0, middle * middle + 8 * n * lost * assumed * (1 - assumed)));
    const double lostShare = (root - middle) / (4 * n);
    const double variance = n * (2 * lostShare + assumed * (1 - assumed));
    const double distance = gained - lost - n * assumed;
    if (distance == 0) return 0;
    return variance > 0 ? distance / std::sqrt(variance) : std::copysign(1e9, distance);
}

/// Of n answers, `gained` are right only after and `lost` only before.
DifferenceInterval tangoInterval(double gained, double lost, double n, double alpha) {
    const double quantile = normalQuantile(1 - alpha / 2);
    const auto bound = [&](double low, double high, double score) {
        for (int i = 0; i < 60; ++i) {
            const double middle = (low + high) / 2;
            (tangoScore(gained, lost, n, middle) > score ? low : high) = middle;
        }
        return (low + high) / 2;
    };
    const double difference = (gained - lost) / n, mcNemar = std::abs(gained - lost) / std::sqrt(gained + lost);
    return {bound(-1, difference, quantile), bound(difference, 1, -quantile), std::erfc(mcNemar / std::sqrt(2.0))};
}

PairedDifference concluded(PairedDifference found, const std::optional<DifferenceInterval>& interval) {
    found.interval = interval;
    if (!interval) found.whyNone = "all examples differ by the same amount";
    return found;
}

/// True for one answer that is right or wrong under each condition.
bool isOneAnswer(const PairedExample& one) {
    return one.weight == 1 && (one.before == 0 || one.before == 1) && (one.after == 0 || one.after == 1);
}

std::optional<DifferenceInterval> intervalOf(const std::vector<PairedExample>& examples, double difference,
                                             const std::vector<double>& deviations, double alpha) {
    if (std::all_of(examples.begin(), examples.end(), isOneAnswer)) {
        const auto gained = std::count_if(examples.begin(), examples.end(), [](const auto& e) { return e.after > e.before; });
        const auto lost = std::count_if(examples.begin(), examples.end(), [](const auto& e) { return e.after < e.before; });
        return tangoInterval(static_cast<double>(gained), static_cast<double>(lost), static_cast<double>(examples.size()),
                             alpha);
    }
    return skewedInterval(difference, deviations, alpha);
}

}  // namespace

std::vector<double> holmCorrected(const std::vector<double>& p, std::int64_t tests) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> corrected(p.size());
    double largest = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double times = static_cast<double>(tests) - static_cast<double>(rank);
        largest = std::max(largest, std::min(1.0, times * p[order[rank]]));
        corrected[order[rank]] = largest;
    }
    return corrected;
}

PairedDifference jackknifeDifference(double difference, const std::vector<LeftOut>& leftOut) {
    PairedDifference found{difference, std::ssize(leftOut), std::nullopt, ""};
    const auto n = static_cast<double>(leftOut.size());
    double mean = 0;
    for (const LeftOut& one : leftOut) mean += one.value / n;
    std::vector<double> deviations, changes;
    for (const LeftOut& one : leftOut) {
        deviations.push_back((n - 1) / n * (mean - one.value));
        changes.push_back(one.changes ? deviations.back() : 0);
    }
    found.whyNone = whyTooFew(found.n, difference, changes, deviations);
    if (!found.whyNone.empty()) return found;
    return concluded(std::move(found), skewedInterval(difference, deviations, 0.05));
}

PairedDifference pairedDifference(const std::vector<PairedExample>& examples, double alpha) {
    std::vector<PairedExample> weighty;
    std::copy_if(examples.begin(), examples.end(), std::back_inserter(weighty), [](const auto& e) { return e.weight > 0; });
    if (weighty.empty()) throw std::invalid_argument("a paired difference needs at least one example");
    double weight = 0, sum = 0;
    std::vector<double> changes;
    for (const PairedExample& one : weighty) {
        weight += one.weight, sum += one.after - one.before;
        changes.push_back(one.after - one.before);
    }
    PairedDifference found{sum / weight, std::ssize(weighty), std::nullopt, ""};
    std::vector<double> deviations;
    for (const PairedExample& one : weighty)
        deviations.push_back((one.after - one.before - found.difference * one.weight) / weight);
    found.whyNone = whyTooFew(found.n, found.difference, changes, deviations);
    if (!found.whyNone.empty()) return found;
    const auto interval = intervalOf(weighty, found.difference, deviations, alpha);
    return concluded(std::move(found), interval);
}

}  // namespace heddle
