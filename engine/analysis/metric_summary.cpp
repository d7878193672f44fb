// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/metric_summary.h"

#include "engine/metrics/metric.h"

#include <algorithm>
#include <array>

namespace heddle {

bool lowerIsBetter(std::string_view metric) {
    const MetricInfo* info = findMetric(metric);
    return info != nullptr && !info->higherIsBetter;
}

int metricRank(std::string_view word) {
    constexpr std::array<std::string_view, 3> kSplits{"valid", "test", "train"};
    const auto split = std::find(kSplits.begin(), kSplits.end(), word) - kSplits.begin();
    const auto metrics = metricInfos();
    const MetricInfo* info = findMetric(word);
    const auto metric = info == nullptr ? static_cast<std::ptrdiff_t>(metrics.size()) : info - metrics.data();
    return static_cast<int>(split < std::ssize(kSplits) ? split : split + metric);
}

}  // namespace heddle
