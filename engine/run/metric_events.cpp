// SPDX-License-Identifier: Apache-2.0
#include "engine/run/metric_events.h"

#include <cmath>

namespace heddle {

std::vector<EvaluationDone::Value> evaluationValues(const std::vector<MetricValue>& values) {
    std::vector<EvaluationDone::Value> reported;
    for (const MetricValue& v : values) reported.push_back({v.name, v.value, v.signature, v.n});
    return reported;
}

std::vector<Note> metricWarnings(const std::string& split, const std::vector<MetricValue>& values) {
    std::vector<Note> notes;
    for (const MetricValue& v : values) {
        if (v.warning.empty()) continue;
        Json value;  // null: JSON has no NaN
        if (std::isfinite(v.value)) value = v.value;
        notes.push_back(
            {"warning", split + " " + v.name + ": " + v.warning, {{"split", split}, {"metric", v.name}, {"value", value}}});
    }
    return notes;
}

}  // namespace heddle
