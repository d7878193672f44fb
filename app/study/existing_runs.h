// SPDX-License-Identifier: Apache-2.0
// The runs of a study's rows that are not trained for it.
#pragma once

#include "app/study/planned_runs.h"
#include "engine/analysis/study.h"

#include <string>
#include <vector>

namespace heddle::app {

struct ExistingRun {
    PlannedRun run;       ///< its spec is the default one, with seed and name, where the program cannot read it
    std::string why;      ///< why it is left out; empty: it counts
    bool mayPair = true;  ///< false for a foreign run whose import did not declare that equal seeds are pairs
};

/// Returns the group key of the run (groupKey() of its spec). Throws storage::StorageError.
std::string experimentOf(const storage::RunRecord& run, storage::RunQuery& query);

/// Of each seed one run, ascending in seed: the newest completed one, else the newest, as in every table. Runs of other
/// settings than most of the row's are left out: a mean over them says nothing of any. Runs in the trash are not there. `row`:
/// its name in errors; `file`: of the study. Throws Error(InvalidInput) where there are no such runs.
std::vector<ExistingRun> existingRuns(const ExistingRuns& wanted, const std::string& row, const std::string& file,
                                      storage::RunQuery& query, const std::string& database);

}  // namespace heddle::app
