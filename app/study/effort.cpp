// SPDX-License-Identifier: Apache-2.0
#include "app/study/effort.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace heddle::app {
namespace {

/// Estimates the sum of a quantity over all steps from those that are recorded.
class Total {
public:
    void add(double value) {
        sum_ += value;
        ++count_;
    }
    bool isEmpty() const { return count_ == 0; }
    double of(double steps) const { return sum_ / static_cast<double>(count_) * steps; }

private:
    double sum_ = 0;
    std::int64_t count_ = 0;
};

}  // namespace

std::map<double, Effort> effortAt(storage::RunQuery& query, const std::string& run, const std::vector<double>& steps,
                                  std::optional<double> flopsPerToken) {
    if (steps.empty()) return {};
    constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
    const auto times = query.points(run, "step_seconds", "", 0, kEnd);
    std::map<std::int64_t, double> rates;
    if (flopsPerToken)
        for (const auto& point : query.points(run, "tokens_per_second", "", 0, kEnd)) rates[point.step] = point.value;
    std::vector<double> ascending = steps;
    std::sort(ascending.begin(), ascending.end());
    std::map<double, Effort> efforts;
    Total seconds, tokens;
    auto next = times.begin();
    for (const double step : ascending) {
        for (; next != times.end() && static_cast<double>(next->step) <= step; ++next) {
            if (!std::isfinite(next->value)) continue;
            seconds.add(next->value);
            if (const auto rate = rates.find(next->step); rate != rates.end() && std::isfinite(rate->second))
                tokens.add(rate->second * static_cast<double>(next->value));
        }
        if (seconds.isEmpty()) continue;
        Effort& effort = efforts[step];
        effort.seconds = seconds.of(step);
        if (flopsPerToken && !tokens.isEmpty()) effort.flops = *flopsPerToken * tokens.of(step);
    }
    return efforts;
}

}  // namespace heddle::app
