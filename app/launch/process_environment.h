// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/process_place.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace heddle::app {

/// The place among several processes as given on the command line; empty: not given.
struct PlaceOptions {
    std::optional<std::int64_t> rank, size, localRank;
    std::string master;  ///< "HOST:PORT"
};

/// The value of an environment variable; empty: not set.
using Variables = std::function<std::string(const std::string& name)>;

/// Where this process stands, from the first of: the options; torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK,
/// LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT); those of Slurm's srun (SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID,
/// SLURM_STEP_TASKS_PER_NODE, SLURM_STEP_NODELIST), with port 15000 + the last four digits of the job's number, as Lightning
/// has it; else alone. HEDDLE_PROCESS_PATIENCE, from 1 to 86400 seconds, is how long a process waits for another that shows no
/// sign of life. Throws Error(Usage) naming the option or variable that is missing or wrong.
ProcessPlace placeOf(const PlaceOptions& options, const Variables& variables);

/// The first host of a Slurm list: "n[03-07,9],m1" begins with n03.
std::string firstHost(const std::string& nodeList);

/// The tasks on a node, by the node's number, of a Slurm list: "2(x3),1". Throws Error(Usage) for another form.
std::int64_t tasksOnNode(const std::string& list, std::int64_t node);

}  // namespace heddle::app
