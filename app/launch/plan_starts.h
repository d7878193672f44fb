// SPDX-License-Identifier: Apache-2.0
// Runs of a plan that start from other runs.
#pragma once

#include "app/study/planned_runs.h"
#include "storage/run_query.h"

#include <string>
#include <vector>

namespace heddle::app {

/// Looks for the runs in `database`, as KnownRuns::find() does. `query` reads it; null: there is no database yet. If the start
/// of a run has completed, checks the files of the checkpoint, sets the run's initial weights, and looks for this run, too.
/// Throws Error if a completed start has no such checkpoint, or a damaged one, or if another database has no completed run to
/// start from.
void findPlanned(std::vector<PlannedRun>& planned, storage::RunQuery* query, const std::string& database);

/// Returns why a run that waits for its start cannot be trained now: "it starts from base, seed 1, which failed".
std::string whyWaiting(const PlannedRun& run, const std::vector<PlannedRun>& planned);

/// What a run starts from: "base, best"; empty if the plan names no run from which it starts.
std::string startText(const PlannedRun& run);

}  // namespace heddle::app
