// SPDX-License-Identifier: Apache-2.0
// Runs Slurm's commands and reads what they print.
#pragma once

#include "engine/base/json_fwd.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// A task of a job array: "17_3".
struct SlurmTask {
    std::int64_t job = 0, index = 0;
    auto operator<=>(const SlurmTask&) const = default;
    std::string text() const;
};

/// Whether a task waits for a node, has one, or is over.
enum class SlurmLife { Waiting, Running, Ended };

struct SlurmState {
    SlurmLife life = SlurmLife::Ended;
    std::string state, reason;  ///< as Slurm names them: "PENDING", "Resources"
    std::string node;           ///< the one on which it runs
};

/// What Slurm knows of the tasks of job arrays. It forgets a task some minutes after its end.
struct SlurmQueue {
    std::map<SlurmTask, SlurmState> tasks;
    std::map<std::string, std::int64_t> jobs;  ///< array jobs by their name

    /// Throws Error(Failure) for a document that is not that of `squeue --json`.
    static SlurmQueue parse(const Json& document);
    SlurmState stateOf(const SlurmTask& task) const;
};

/// The numbers of "1-3,7,10-14:2%4", where %4 is a limit.
std::vector<std::int64_t> taskNumbers(const std::string& text);

/// The task's last state and reason, as `scontrol show job` prints them: "NODE_FAIL, NodeDown"; empty if Slurm has forgotten
/// it.
std::string lastStateIn(const std::string& text);

/// Asks Slurm for the state of all jobs. Returns nothing where it does not answer, and sets `problem` to the reason.
std::optional<SlurmQueue> readSlurmQueue(std::string& problem);

/// The task's last state and reason, as lastStateIn() gives them.
std::string lastStateOf(const SlurmTask& task);

/// Submits with `sbatch ARGUMENTS`. Returns the job's number. Throws Error(Failure) with what sbatch said.
std::int64_t submitToSlurm(const std::vector<std::string>& arguments);

/// Cancels jobs or tasks of arrays ("17", "17_3"). Throws Error(Failure) with what scancel said.
void cancelInSlurm(const std::vector<std::string>& jobs);

}  // namespace heddle::app
