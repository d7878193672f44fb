// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study_json.h"

#include "engine/analysis/metric_summary.h"
#include "engine/base/json.h"
#include "engine/metrics/metric.h"

#include <fmt/format.h>

namespace heddle::study_json {

void requireKeys(const Json& document, const std::string& what, const std::set<std::string>& known, const std::string& where) {
    for (const auto& [key, value] : document.items())
        if (!known.contains(key))
            throwInvalid(fmt::format("unknown key \"{1}\" in {0}", what, key), where,
                         fmt::format("known keys: {}", fmt::join(known, ", ")));
}

StudyMetric readMetric(const Json& document, const std::string& where) {
    StudyMetric metric;
    if (!document.is_object())
        throwInvalid("\"metric\" must be an object", where, R"({"split":"valid","name":"loss","value":"last"})");
    requireKeys(document, "\"metric\"", {"split", "name", "value", "better"}, where);
    metric.split = member<std::string>(document, "split", where, metric.split);
    metric.name = member<std::string>(document, "name", where, metric.name);
    metric.rule = ValueRule::parse(member<std::string>(document, "value", where, "last"), where);
    if (!findMetric(metric.name) && !document.contains("better"))
        throwInvalid(fmt::format("unknown metric \"{}\"", metric.name), where,
                     "correct the name, or add \"better\": \"lower\" or \"higher\" to use a metric that Heddle does not know");
    metric.lowerIsBetter =
        choice<bool>(document, "better", where, lowerIsBetter(metric.name), {{"lower", true}, {"higher", false}});
    return metric;
}

Json metricDocument(const StudyMetric& metric) {
    return {{"split", metric.split},
            {"name", metric.name},
            {"value", metric.rule.text()},
            {"better", metric.lowerIsBetter ? "lower" : "higher"}};
}

}  // namespace heddle::study_json
