// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/rank_difference.h"

#include "engine/analysis/distributions.h"
#include "engine/analysis/spread.h"
#include "engine/metrics/correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace heddle {
namespace {

/// Twice the rank of each value, which is a whole number: ties share the mean of their ranks.
std::vector<std::size_t> doubledRanks(const std::vector<double>& values) {
    std::vector<std::size_t> doubled;
    for (const double rank : averageRanks(values)) doubled.push_back(static_cast<std::size_t>(2 * rank));
    return doubled;
}

// Boost.Math has no exact distributions of ranks.

/// Twice the smaller tail of a distribution over 0, 1, 2, …, at most 1.
double bothTails(const std::vector<double>& shares, std::size_t at) {
    double below = 0, above = 0, all = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        all += shares[i];
        if (i <= at) below += shares[i];
        if (i >= at) above += shares[i];
    }
    return std::min(1.0, 2 * std::min(below, above) / all);
}

/// Each rank is one of the positive differences with probability ½.
double signedRankP(const std::vector<double>& differences) {
    std::vector<double> sizes(differences.size());
    std::transform(differences.begin(), differences.end(), sizes.begin(), [](double d) { return std::abs(d); });
    const std::vector<std::size_t> ranks = doubledRanks(sizes);
    std::size_t positive = 0, all = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        all += ranks[i];
        if (differences[i] > 0) positive += ranks[i];
    }
    std::vector<double> shares(all + 1);
    shares[0] = 1;
    for (const std::size_t rank : ranks)
        for (std::size_t sum = all + 1; sum-- > 0;) shares[sum] = (shares[sum] + (sum >= rank ? shares[sum - rank] : 0)) / 2;
    return bothTails(shares, positive);
}

/// All choices of as many ranks as the variant has runs are equally likely.
double rankSumP(const std::vector<double>& variant, const std::vector<double>& baseline) {
    std::vector<double> values(variant);
    values.insert(values.end(), baseline.begin(), baseline.end());
    const std::vector<std::size_t> ranks = doubledRanks(values);
    const std::size_t n = variant.size(), all = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
    std::vector<std::vector<double>> choices(n + 1, std::vector<double>(all + 1));  // by their number and their sum
    choices[0][0] = 1;
    for (const std::size_t rank : ranks)
        for (std::size_t count = n; count > 0; --count)
            for (std::size_t sum = rank; sum <= all; ++sum) choices[count][sum] += choices[count - 1][sum - rank];
    return bothTails(choices[n], std::accumulate(ranks.begin(), ranks.begin() + std::ptrdiff_t(n), std::size_t{0}));
}

std::string whyNone(const std::vector<double>& a, const std::vector<double>& b) {
    for (const auto* values : {&a, &b})
        if (std::any_of(values->begin(), values->end(), [](double value) { return std::isnan(value); }))
            return "the value of a run is not a number";
    if (a.size() + b.size() > kMostRanked) return fmt::format("exact rank tests are limited to {} runs", kMostRanked);
    return "";
}

RankDifference ofPairs(const SeedValues& variant, const SeedValues& baseline) {
    RankDifference result;
    std::vector<double> first, second, all, unequal;
    for (const auto& [seed, value] : variant)
        if (const auto other = baseline.find(seed); other != baseline.end()) {
            first.push_back(value);
            second.push_back(other->second);
            all.push_back(value == other->second ? 0 : value - other->second);  // ∞ − ∞ is no difference
            if (all.back() != 0) unequal.push_back(all.back());
        }
    result.n = result.nBaseline = all.size();
    result.whyNone = whyNone(first, second);
    if (!result.whyNone.empty()) return result;
    if (!all.empty()) result.median = median(all);
    result.equal = all.size() - unequal.size();
    if (unequal.empty()) {
        result.whyNone = all.empty() ? "no two runs have the same seed" : "all pairs are equal";
        return result;
    }
    result.p = signedRankP(unequal);
    result.least = std::ldexp(1.0, 1 - static_cast<int>(unequal.size()));
    return result;
}

}  // namespace

RankDifference rankDifference(const SeedValues& variant, const SeedValues& baseline, SeedTest test) {
    if (test == SeedTest::Paired) return ofPairs(variant, baseline);
    RankDifference result;
    result.test = test;
    std::vector<double> first, second;
    for (const auto& [seed, value] : variant) first.push_back(value);
    for (const auto& [seed, value] : baseline) second.push_back(value);
    result.n = first.size();
    result.nBaseline = second.size();
    result.whyNone = whyNone(first, second);
    if (first.empty() || second.empty()) result.whyNone = "a variant has no runs";
    if (!result.whyNone.empty()) return result;
    const double a = median(first), b = median(second);
    result.median = a == b ? 0 : a - b;
    result.p = rankSumP(first, second);
    result.least = std::min(1.0, 2 / combinations(result.n + result.nBaseline, result.n));
    return result;
}

}  // namespace heddle
