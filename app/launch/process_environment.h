// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/process_place.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace heddle::app {

/// The options that place this process among several; an empty one was not given.
struct PlaceOptions {
    std::optional<std::int64_t> rank, size, localRank;
    std::string master;  ///< "HOST:PORT"
};

/// The value of an environment variable; empty: not set.
using Variables = std::function<std::string(const std::string& name)>;

/// The place of this process, from the first of these that is given: the options; torchrun's variables (RANK, WORLD_SIZE,
/// LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT); those of Slurm's srun (SLURM_PROCID, SLURM_STEP_NUM_TASKS,
/// SLURM_LOCALID, SLURM_STEP_TASKS_PER_NODE, SLURM_STEP_NODELIST), with port 15000 + the last four digits of the job's number,
/// as Lightning computes it. If none is given, the process is alone. HEDDLE_PROCESS_PATIENCE, from 1 to 86400 seconds, is how
/// long a process waits for another that shows no sign of life. Throws Error(Usage) naming the option or variable that is
/// missing or wrong.
ProcessPlace placeOf(const PlaceOptions& options, const Variables& variables);

/// The first host of a Slurm list: n03 of "n[03-07,9],m1".
std::string firstHost(const std::string& nodeList);

/// The number of tasks on the node with this number, from a Slurm list such as "2(x3),1". Throws Error(Usage) for text of
/// another form.
std::int64_t tasksOnNode(const std::string& list, std::int64_t node);

}  // namespace heddle::app
