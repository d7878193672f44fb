// SPDX-License-Identifier: Apache-2.0
// Trains the runs that a file asks for (`sweep`, `study`).
#pragma once

#include "app/cli/context.h"
#include "app/study/planned_runs.h"

#include <string>
#include <vector>

namespace heddle::app {

/// Throws Error(InvalidInput) for a run that is still to be trained and has no valid device or no data files.
void requireUsable(const std::vector<PlannedRun>& planned);

/// Throws Error(Failure) where another process trains one of the runs or has it in its queue.
void requireNoOtherOwner(const std::vector<PlannedRun>& planned, const std::string& database);

/// Starts and resumes, one after the other, those that are neither done nor failed in this call; a run that fails does not stop
/// the others. `command`: of the owner; `group`: of new runs. Returns 0 or the exit code of a signal.
int trainRuns(std::vector<PlannedRun*> due, const std::string& command, const std::string& group, const Context& context);

}  // namespace heddle::app
