// SPDX-License-Identifier: Apache-2.0
// Trains the runs of a plan or study in this process.
#pragma once

#include "app/cli/context.h"
#include "app/launch/launcher.h"
#include "app/study/planned_runs.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Throws Error(InvalidInput) for a run that is still to be trained and has no valid device or no data files.
void requireUsable(const std::vector<PlannedRun>& planned);

/// Trains runs in this process, one after the other or `jobs` at once on the processor. Call require() first: it throws
/// Error(Failure) where another process trains one of the runs or has it in its queue. It throws Error(Usage) for a number
/// below 1, and for more than 1 where a run that is still to be trained is on a GPU, or where `jobs` runs with its threads need
/// more cores than the processor has. `command` names the owner. `context` must outlive the launcher.
std::unique_ptr<Launcher> localLauncher(const std::string& command, const std::optional<std::int64_t>& jobs,
                                        const Context& context);

}  // namespace heddle::app
