// SPDX-License-Identifier: Apache-2.0
// Runs of a plan that start from other runs.
#pragma once

#include "app/study/planned_runs.h"
#include "storage/run_query.h"

#include <string>
#include <vector>

namespace heddle::app {

/// KnownRuns::find() in `database`, which `query` reads; null: there is none yet. Sets the initial weights of the open runs
/// whose start has completed, after a check of that checkpoint's files, and looks for these runs, too. Throws Error where a
/// completed run has no such checkpoint, or a damaged one, and where another database has no completed run to start from.
void findPlanned(std::vector<PlannedRun>& planned, storage::RunQuery* query, const std::string& database);

/// Why a run that is open cannot be trained now: "it starts from base, seed 1, which failed".
std::string whyWaiting(const PlannedRun& run, const std::vector<PlannedRun>& planned);

/// What a run starts from: "base, best"; empty: from no run of a plan or a database that the plan names.
std::string startText(const PlannedRun& run);

}  // namespace heddle::app
