// SPDX-License-Identifier: Apache-2.0
// How the study's value scatters over the seeds of runs that were trained before it on the same task: what so many seeds could
// show, before the baseline has seeds of its own.
#pragma once

#include "engine/analysis/noise_floor.h"
#include "storage/run_query.h"

#include <optional>

namespace heddle::app {

class StudyRuns;

/// Over the groups (run_group.h) of completed runs whose task is the baseline's and whose value was measured on the same file
/// (of generated data: that have the same data settings), as the newest of them was measured. The study's own runs, trials of
/// a tuning, foreign runs, runs in the trash and runs that were intervened in do not count. `runs` is refreshed. Nothing where
/// no group has two such runs, or where the baseline's file cannot be read. Throws storage::StorageError.
std::optional<NoiseFloor> scatterOfEarlierGroups(const StudyRuns& runs, storage::RunQuery& query);

}  // namespace heddle::app
