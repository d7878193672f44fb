// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/correlation.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle {
namespace {

/// Why the pairs have no correlation, or nothing.
std::string whyUndefined(std::span<const double> a, std::span<const double> b) {
    if (a.size() < 2) return fmt::format("a correlation needs at least two pairs; there are {}", a.size());
    for (const auto& side : {a, b}) {
        if (!std::all_of(side.begin(), side.end(), [](double v) { return std::isfinite(v); }))
            return "a value is not a finite number";
        if (std::all_of(side.begin(), side.end(), [&](double v) { return v == side.front(); }))
            return fmt::format("one side is constant: all values are {}", side.front());
    }
    return {};
}

/// Deviations from the mean, of Euclidean length 1. Scaled by the largest first, so that squares neither overflow nor vanish.
std::vector<double> unitDeviations(std::span<const double> values) {
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    const int exponent = std::ilogb(largest);
    std::vector<double> deviations;
    for (const double v : values) deviations.push_back(std::scalbn(v, -exponent));
    const double mean = std::accumulate(deviations.begin(), deviations.end(), 0.0) / static_cast<double>(deviations.size());
    double spread = 0;
    for (double& d : deviations) {
        d -= mean;
        spread = std::max(spread, std::abs(d));
    }
    double square = 0;
    for (double& d : deviations) {
        d /= spread;
        square += d * d;
    }
    for (double& d : deviations) d /= std::sqrt(square);
    return deviations;
}

double correlate(std::span<const double> a, std::span<const double> b) {
    const std::vector<double> x = unitDeviations(a), y = unitDeviations(b);
    return std::clamp(std::inner_product(x.begin(), x.end(), y.begin(), 0.0), -1.0, 1.0);
}

void checkLengths(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size())
        throwInvalid(fmt::format("{} values for {}", a.size(), b.size()), "correlation", "give one value per example");
}

}  // namespace

std::vector<double> averageRanks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
        for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end + 1) / 2;
    }
    return ranks;
}

MetricValue pearson(std::span<const double> a, std::span<const double> b) {
    checkLengths(a, b);
    const auto n = static_cast<std::int64_t>(a.size());
    const std::string signature = metricSignature("pearson", {}, n);
    if (std::string why = whyUndefined(a, b); !why.empty()) return undefinedMetric("pearson", signature, std::move(why));
    return {"pearson", correlate(a, b), signature, n, ""};
}

MetricValue spearman(std::span<const double> a, std::span<const double> b) {
    checkLengths(a, b);
    const auto n = static_cast<std::int64_t>(a.size());
    const std::string signature = metricSignature("spearman", {{"ties", "average"}}, n);
    if (std::string why = whyUndefined(a, b); !why.empty()) return undefinedMetric("spearman", signature, std::move(why));
    return {"spearman", correlate(averageRanks(a), averageRanks(b)), signature, n, ""};
}

MetricValue pearsonSpearman(std::span<const double> a, std::span<const double> b) {
    const MetricValue r = pearson(a, b), rho = spearman(a, b);
    const std::string signature =
        metricSignature("pearson_spearman", {{"mean", "both"}, {"ties", "average"}}, static_cast<std::int64_t>(a.size()));
    if (!r.warning.empty()) return undefinedMetric("pearson_spearman", signature, r.warning);
    return {"pearson_spearman", (r.value + rho.value) / 2, signature, r.n, ""};
}

}  // namespace heddle
