// SPDX-License-Identifier: Apache-2.0
// What sbatch is told of an array.
#pragma once

#include "app/launch/slurm_folder.h"
#include "app/study/planned_runs.h"
#include "app/study/submissions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::app {

/// Ascending numbers as sbatch reads them: "1-3,7".
std::string taskList(const std::vector<std::int64_t>& numbers);

/// The arguments of sbatch for an array that trains `runs`. One that waits for the tasks of another job gets no other
/// dependency: those of the user hold for that job, and so for this one.
std::vector<std::string> sbatchArguments(const SlurmArray& array, const std::vector<const PlannedRun*>& runs,
                                         const SlurmFolder& folder, const SlurmOptions& options);

}  // namespace heddle::app
