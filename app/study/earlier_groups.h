// SPDX-License-Identifier: Apache-2.0
// How the value of a study scatters over the seeds of earlier runs of the same task. It tells what a number of seeds could show
// before the baseline has runs of its own.
#pragma once

#include "engine/analysis/noise_floor.h"
#include "storage/run_query.h"

#include <optional>

namespace heddle::app {

class StudyRuns;

/// Pools the groups (run_group.h) of completed runs that have the baseline's task, whose value was measured on the same file
/// (for generated data: that have the same data settings), and in the same way as that of the newest of them. The study's own
/// runs, trials of a tuning, foreign runs, runs in the trash and runs with interventions do not count. `runs` must have been
/// refreshed. Nothing if no group has two such runs, or if the baseline's file cannot be read. Throws storage::StorageError.
std::optional<NoiseFloor> scatterOfEarlierGroups(const StudyRuns& runs, storage::RunQuery& query);

}  // namespace heddle::app
