// SPDX-License-Identifier: Apache-2.0
// Trains the runs that a file asks for (`sweep`, `study`).
#pragma once

#include "app/cli/context.h"
#include "app/study/planned_runs.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Throws Error(InvalidInput) for a run that is still to be trained and has no valid device or no data files.
void requireUsable(const std::vector<PlannedRun>& planned);

/// Throws Error(Failure) where another process trains one of the runs or has it in its queue.
void requireNoOtherOwner(const std::vector<PlannedRun>& planned, const std::string& database);

/// How many runs train at once: 1 unless `asked`. Throws Error(Usage) for a number below 1, and where a run that is still to be
/// trained is on a GPU, or uses so many threads that `jobs` of its kind have more of them than the processor has cores.
std::size_t jobsOf(const std::optional<std::int64_t>& asked, const std::vector<PlannedRun>& planned, const Context& context);

struct HowToTrain {
    std::string command;   ///< of the owner
    std::string group;     ///< of new runs
    std::size_t jobs = 1;  ///< at once
};

/// Starts and resumes, in their order, those that are neither done nor failed in this call; a run that fails does not stop the
/// others. Returns 0 or the exit code of a signal.
int trainRuns(std::vector<PlannedRun*> due, const HowToTrain& how, const Context& context);

}  // namespace heddle::app
