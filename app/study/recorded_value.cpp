// SPDX-License-Identifier: Apache-2.0
#include "app/study/recorded_value.h"

#include <fmt/format.h>

#include <vector>

namespace heddle::app {

RecordedValue recordedValue(storage::RunQuery& query, const std::string& run, const StudyMetric& metric) {
    RecordedValue result;
    const std::string split = metric.recordedSplit();
    std::vector<Evaluated> evaluations;
    for (const auto& one : query.evaluations(run)) {
        if (one.split != split || one.metric != metric.name) continue;
        if (one.damaged) {
            result.why = "has a damaged record among its evaluations";
            return result;
        }
        evaluations.push_back({one.step, one.value});
        result.measured.n = one.n;
        result.measured.signature = one.signature;
    }
    result.value = valueBy(metric.rule, evaluations, metric.lowerIsBetter);
    if (!result.value)
        result.why = fmt::format("has no {} {} by the rule \"{}\"", metric.split, metric.name, metric.rule.text());
    return result;
}

}  // namespace heddle::app
