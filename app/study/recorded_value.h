// SPDX-License-Identifier: Apache-2.0
// The value of a run by the metric of a study.
#pragma once

#include "engine/analysis/comparable.h"
#include "engine/analysis/study_metric.h"
#include "storage/run_query.h"

#include <optional>
#include <string>

namespace heddle::app {

struct RecordedValue {
    std::optional<double> value;
    Measured measured;  ///< how; `data` stays empty
    std::string why;    ///< why there is no value: "has no valid loss by the rule …"
};

/// Returns the value of a completed run. Throws storage::StorageError.
RecordedValue recordedValue(storage::RunQuery& query, const std::string& run, const StudyMetric& metric);

}  // namespace heddle::app
