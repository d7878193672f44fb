// SPDX-License-Identifier: Apache-2.0
// Best and last value of one metric on one split of a run, without any statistical test or estimate.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle {

struct MetricSummary {
    double best = 0, last = 0;
    std::int64_t bestStep = 0, lastStep = 0, n = 0;
    std::string signature;

    bool operator==(const MetricSummary&) const = default;
};

/// True for a metric of which lower is better (metricInfos()); false for a metric that is not in that table.
bool lowerIsBetter(std::string_view metric);

/// Display order of a split (valid, test, train) or metric (order of metricInfos()); unknown names come last.
int metricRank(std::string_view word);

/// Best and last of `evaluations`, ascending in step, all of one split and metric: records with metric, step, value, n and
/// signature. Of equal values the first is the best; NaN is best only if all are NaN. n and signature are those of the last
/// evaluation. Throws std::invalid_argument when there are none.
template <class Evaluations>
MetricSummary summariseMetric(const Evaluations& evaluations) {
    if (evaluations.empty()) throw std::invalid_argument("summary of a metric that was never evaluated");
    const auto& first = evaluations.front();
    const auto& last = evaluations.back();
    MetricSummary summary{first.value, last.value, first.step, last.step, last.n, last.signature};
    const bool lower = lowerIsBetter(first.metric);
    for (const auto& e : evaluations) {
        const bool better = lower ? e.value < summary.best : e.value > summary.best;
        if (!better && !(std::isnan(summary.best) && !std::isnan(e.value))) continue;
        summary.best = e.value;
        summary.bestStep = e.step;
    }
    return summary;
}

}  // namespace heddle
