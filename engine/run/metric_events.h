// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/metric.h"
#include "engine/run/events.h"

#include <string>
#include <vector>

namespace heddle {

/// The values as an evaluation reports them, in order.
std::vector<EvaluationDone::Value> evaluationValues(const std::vector<MetricValue>& values);

/// A Note "warning" for every value that has one: "valid accuracy: all 408 predictions are …", data {"split", "metric",
/// "value"}. Diagnostics' standing remarks are among them.
std::vector<Note> metricWarnings(const std::string& split, const std::vector<MetricValue>& values);

}  // namespace heddle
