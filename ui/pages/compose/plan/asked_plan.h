// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a plan as files have them: a sweep, or a study, which is a question that is asked before its runs are trained.
#pragma once

#include "engine/analysis/study.h"
#include "engine/run/requests.h"
#include "engine/spec/plan.h"
#include "storage/run_query.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

/// The rows with absolute paths of their data, without the name and seed of their specs. Throws Error(InvalidInput) for a spec
/// that is none.
std::vector<PlanRow> writtenRows(std::vector<PlanRow> rows);

/// The question whether the other rows differ from the row `baseline` in the last value of the metric.
struct PlanQuestion {
    std::vector<PlanRow> rows;
    std::string baseline;
    StudyMetric metric = {};
    std::optional<double> margin = {};  ///< differences within ± margin count as none
    std::optional<Claim> claim = {};
};

/// Writes a study to `file` (heddle.study/1). Returns the record of it for `database`, which `query` reads; app::askStudy()
/// makes it. Throws Error(InvalidInput) if the rows form no study, Error(Failure) if the file cannot be written, and
/// StorageError.
PutItem askPlan(const PlanQuestion& question, const std::string& file, storage::RunQuery& query, const std::string& database);

}  // namespace heddle::ui
