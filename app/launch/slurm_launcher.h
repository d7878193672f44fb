// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/launch/launcher.h"
#include "app/launch/slurm_folder.h"
#include "app/launch/slurm_merge.h"
#include "app/launch/slurm_queue.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::storage {
class WriterLock;
}  // namespace heddle::storage

namespace heddle::app {

/// The user's options for the jobs. An empty one is left to sbatch and its environment (SBATCH_PARTITION, …).
struct SlurmOptions {
    std::string partition, gres, time;
    std::optional<std::int64_t> arrayLimit;  ///< the most tasks that run at once
    std::vector<std::string> more;           ///< options of sbatch as they are: "--account=lab"
    std::string scratch;                     ///< folder of the node in which a job trains; empty: in the run's folder
    std::chrono::milliseconds poll = std::chrono::seconds(15);
    enum class After { Watch, Return } after = After::Watch;  ///< what follows the submission
};

/// Trains each run as a task of a job array, with a database of its own, and merges those that have ended. FILE.heddle.jobs
/// says what was submitted: a launcher of the same database goes on with jobs that wait or run, and submits only the runs that
/// have neither a job nor an end.
class SlurmLauncher final : public Launcher {
public:
    struct Place {
        std::string database, command;                ///< of the study; the command for messages
        std::function<void(const std::string&)> say;  ///< a line of progress
        std::function<int()> stopCode;                ///< not 0: end now with this exit code; the jobs go on
    };
    /// Throws Error(Failure) while another command submits or watches jobs of the database.
    SlurmLauncher(Place place, SlurmOptions options);
    ~SlurmLauncher() override;

    void require(const std::vector<PlannedRun>& planned) const override;
    int train(std::vector<PlannedRun*> due, const std::string& group) override;

private:
    struct Watched;
    void adopt(const SlurmQueue& queue);
    std::optional<SlurmTask> submitted(const std::string& key) const;
    MergedRun tryMerge(const std::string& key, const std::string& group) const;
    bool settle(Watched& one);
    void settleOthers(const std::vector<Watched>& runs, const SlurmQueue& queue, const std::string& group);
    void tellFailure(const Watched& one, const std::string& why);
    void close(const std::string& key);
    void submit(const std::vector<Watched*>& runs, const std::string& group);
    int watch(std::vector<Watched>& runs);
    void look(std::vector<Watched>& runs, const SlurmQueue& queue);
    void tellCounts(const std::vector<Watched>& runs);
    int sleep() const;

    Place place_;
    SlurmOptions options_;
    std::unique_ptr<storage::WriterLock> lock_;
    SlurmFolder folder_;
    std::vector<SlurmArray> arrays_;
    std::string counts_, busy_;  ///< as they were last said
};

/// Cancels the jobs of runs of these groups, also while another command watches them; what they have trained stays. Returns how
/// many there were. Throws Error(Failure).
std::size_t cancelSlurmRuns(const std::string& database, const std::vector<std::string>& groups);

}  // namespace heddle::app
