// SPDX-License-Identifier: Apache-2.0
#include "app/study/report_curves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

/// The steps at which all these curves have a value.
std::vector<double> commonSteps(const SeedCurves& first, const SeedCurves& second) {
    std::map<double, std::size_t> counts;
    for (const SeedCurves* curves : {&first, &second})
        for (const auto& [seed, curve] : *curves) {
            std::set<double> steps;
            for (const auto& [x, y] : curve)
                if (std::isfinite(y)) steps.insert(x);
            for (const double x : steps) ++counts[x];
        }
    std::vector<double> common;
    for (const auto& [x, count] : counts)
        if (count == first.size() + second.size()) common.push_back(x);
    return common;
}

/// The curves at kMostPlaces of `steps` at most.
SeedCurves thinned(const SeedCurves& curves, const std::vector<double>& steps) {
    if (steps.size() <= kMostPlaces) return curves;
    std::set<double> kept;
    for (std::size_t i = 0; i < kMostPlaces; ++i) kept.insert(steps[i * (steps.size() - 1) / (kMostPlaces - 1)]);
    SeedCurves thin;
    for (const auto& [seed, curve] : curves) {
        auto& own = thin[seed];
        std::copy_if(curve.begin(), curve.end(), std::back_inserter(own),
                     [&](const auto& p) { return kept.contains(p.first); });
    }
    return thin;
}

/// Without runs that have no evaluation.
SeedCurves evaluatedOf(const std::map<std::string, SeedCurves>& curves, const std::string& row) {
    const auto found = curves.find(row);
    SeedCurves own = found == curves.end() ? SeedCurves() : found->second;
    std::erase_if(own, [](const auto& one) { return one.second.empty(); });
    return own;
}

/// Returns the median of what the runs had spent when they reached the target, by `spentOf`; nothing unless it is known for
/// every evaluation of every run.
std::optional<double> medianSpent(const SeedCurves& curves, const SeedEfforts& efforts, double target, bool lowerIsBetter,
                                  const std::function<std::optional<double>(const Effort&)>& spentOf) {
    SeedCurves overSpent;
    for (const auto& [seed, curve] : curves) {
        const auto own = efforts.find(seed);
        if (own == efforts.end()) return {};
        for (const auto& [step, value] : curve) {
            const auto effort = own->second.find(step);
            const auto spent = effort == own->second.end() ? std::nullopt : spentOf(effort->second);
            if (!spent) return {};
            overSpent[seed].emplace_back(*spent, value);
        }
    }
    return targetReached(overSpent, target, lowerIsBetter).median;
}

}  // namespace

std::optional<CurvesAlong> curvesAlong(const Study& study, const StudyVerdict& verdict,
                                       const std::map<std::string, SeedCurves>& curves,
                                       const std::map<std::string, SeedEfforts>& efforts) {
    const SeedCurves baseline = evaluatedOf(curves, study.baseline);
    const auto isCurve = [](const auto& one) { return one.second.size() > 1; };
    if (std::none_of(baseline.begin(), baseline.end(), isCurve)) return {};
    CurvesAlong along;
    for (const auto& [seed, curve] : baseline) along.target += curve.back().second / double(baseline.size());
    if (!std::isfinite(along.target)) return {};
    for (const PlanRow& row : study.rows) {
        const SeedCurves own = evaluatedOf(curves, row.name);
        if (own.empty()) continue;
        RowAlong one{row.name, targetReached(own, along.target, study.metric.lowerIsBetter), {}, {}, std::nullopt};
        if (const auto spent = efforts.find(row.name); spent != efforts.end()) {
            const auto medianOf = [&](const auto& spentOf) {
                return medianSpent(own, spent->second, along.target, study.metric.lowerIsBetter, spentOf);
            };
            one.seconds = medianOf([](const Effort& effort) { return std::optional(effort.seconds); });
            one.flops = medianOf([](const Effort& effort) { return effort.flops; });
        }
        const auto judged = std::find_if(verdict.rows.begin(), verdict.rows.end(),
                                         [&row](const RowVerdict& other) { return other.name == row.name; });
        if (judged != verdict.rows.end() && judged->isLookedAt) {
            const std::vector<double> steps = commonSteps(own, baseline);
            one.difference =
                curveDifference(thinned(own, steps), thinned(baseline, steps), study.test, verdict.level / study.family());
        }
        along.rows.push_back(std::move(one));
    }
    return along;
}

}  // namespace heddle::app
