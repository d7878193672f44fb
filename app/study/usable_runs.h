// SPDX-License-Identifier: Apache-2.0
// What a run must have before it is recorded or submitted, in whatever place it is trained.
#pragma once

#include "app/study/planned_runs.h"
#include "engine/spec/run_spec.h"

#include <vector>

namespace heddle::app {

/// Throws Error(InvalidInput) for a spec that cannot be trained, has an unknown device, or whose data files are missing.
void requireUsable(const RunSpec& spec);

/// The same for the runs that are not done.
void requireUsable(const std::vector<PlannedRun>& planned);

}  // namespace heddle::app
