// SPDX-License-Identifier: Apache-2.0
// What sbatch is told of an array.
#pragma once

#include "app/launch/slurm_folder.h"
#include "app/study/planned_runs.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// What the user asks for the jobs of Slurm. Where a member is empty, sbatch gets no such option and takes the value from its
/// environment (SBATCH_PARTITION, …) or from the cluster's configuration.
struct SlurmOptions {
    std::string partition, gres, time;
    std::optional<std::int64_t> arrayLimit;  ///< the most tasks that run at once
    std::vector<std::string> more;           ///< further options, passed to sbatch unchanged: "--account=lab"
    std::string scratch;                     ///< folder of the node in which jobs train; empty: they train in the run's folder
    std::chrono::milliseconds poll = std::chrono::seconds(15);
    enum class After { Watch, Return } after = After::Watch;  ///< what follows the submission
};

/// Ascending numbers as sbatch reads them: "1-3,7".
std::string taskList(const std::vector<std::int64_t>& numbers);

/// The arguments of sbatch for an array that trains `runs`. One that waits for the tasks of another job gets no other
/// dependency: those of the user hold for that job, and so for this one.
std::vector<std::string> sbatchArguments(const SlurmArray& array, const std::vector<const PlannedRun*>& runs,
                                         const SlurmFolder& folder, const SlurmOptions& options);

}  // namespace heddle::app
