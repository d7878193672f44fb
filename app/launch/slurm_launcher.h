// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/launch/launcher.h"
#include "app/launch/sbatch_arguments.h"
#include "app/launch/slurm_arrays.h"
#include "app/launch/slurm_queue.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::app {

/// Trains each run as a task of a job array, in a database of its own, and copies each run that has ended into the study's
/// database. FILE.heddle.jobs records what was submitted: a launcher of the same database watches the jobs that wait or run,
/// and submits only the runs that have not ended and have no job. A run whose start has a job waits for it in the queue.
class SlurmLauncher final : public Launcher {
public:
    struct Place {
        std::string database, command;                ///< of the study; the command, "study", as the name of an owner
        std::function<void(const std::string&)> say;  ///< a line of progress
        std::function<int()> stopCode;                ///< not 0: the command ends now with this exit code; the jobs go on
    };
    /// Throws Error(Failure) while another command submits or watches jobs of the database.
    SlurmLauncher(Place place, SlurmOptions options);

    void require(const std::vector<PlannedRun>& planned) const override;
    int train(std::vector<PlannedRun*> due, const std::string& group) override;

private:
    struct Watched;
    static std::vector<Watched> watched(const std::vector<PlannedRun*>& due, const std::string& group);
    bool settle(Watched& one);
    void settleOthers(const std::vector<Watched>& runs, const SlurmQueue& queue, const std::string& group);
    void tellFailure(const Watched& one, const std::string& why);
    void submit(std::vector<Watched*> runs, const std::string& group);
    void submitArray(const std::vector<Watched*>& runs, std::int64_t after, const std::string& group);
    int watch(std::vector<Watched>& runs);
    void look(std::vector<Watched>& runs, const SlurmQueue& queue);
    void tellCounts(const std::vector<Watched>& runs);
    int sleep() const;

    Place place_;
    SlurmOptions options_;
    SlurmArrays arrays_;
    std::string counts_, busy_;  ///< the counts, and the reason for waiting, that were said last
};

/// Cancels the jobs of these groups' runs, also while another command watches them; their databases and checkpoints stay.
/// Returns the number of jobs. Throws Error(Failure).
std::size_t cancelSlurmRuns(const std::string& database, const std::vector<std::string>& groups);

}  // namespace heddle::app
