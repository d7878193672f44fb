// SPDX-License-Identifier: Apache-2.0
// Sweeps that train as jobs of Slurm, as the window sees them. app/launch submits them.
#pragma once

#include "engine/spec/plan.h"

#include <chrono>
#include <cstddef>
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

/// A run of a sweep, and where it stands.
struct SubmittedRun {
    enum class At {
        New,        ///< neither submitted nor trained
        Queued,     ///< its job waits
        Running,    ///< its job runs
        Ended,      ///< its job has ended, and the run is still to be merged
        Completed,  ///< in the database
        Failed,     ///< in the database
        Lost        ///< its job ended before the run did; a new job goes on from its last checkpoint
    };
    std::string title;  ///< "base, seed 2", safe to print
    At at = At::New;
    std::string detail = {};  ///< the node, Slurm's reason for waiting, or the file of the log; may be empty

    /// Whether a job waits or runs, or has written what is still to be merged.
    bool isOpen() const { return at == At::Queued || at == At::Running || at == At::Ended; }
    bool hasJob() const { return at == At::Queued || at == At::Running; }
};

struct Submission {
    std::string name;      ///< unique; of a sweep without plan its group
    std::string group;     ///< of its runs
    bool hasPlan = false;  ///< false: a command submitted it, and its plan is not kept here; `runs` are the open ones alone
    std::vector<SubmittedRun> runs;

    std::size_t count(SubmittedRun::At at) const;
    bool isOpen() const;
    bool hasJobs() const;
    /// Whether the same command, given again, would submit something.
    bool canSubmit() const;
};

/// Whether a sweep may have this name, which is that of the file of its plan: no "/", and no point at its beginning.
bool isSweepName(const std::string& name);

/// What a look at the jobs of a database found and did.
struct SubmissionsLook {
    std::vector<Submission> sweeps;     ///< by name
    std::vector<std::string> merged;    ///< titles of the completed runs that were merged at this look
    std::vector<std::string> failures;  ///< of runs that failed or were lost, with the last lines of their logs
    std::string problem;                ///< why states are not known or runs are not merged now; empty: none
};

/// The sweeps of a database that are trained as jobs of Slurm. Thread-safe; calls may take minutes. They throw Error and
/// StorageError.
class Submissions {
public:
    Submissions() = default;
    virtual ~Submissions() = default;
    Submissions(const Submissions&) = delete;
    Submissions& operator=(const Submissions&) = delete;

    /// The folder in which submissions are recorded, and jobs train.
    virtual std::string folder() const = 0;
    /// Submits the runs of a plan whose paths are absolute, and keeps plan and options under `name`. Returns what was
    /// submitted, a line each: "submitted 3 runs as job 17". Throws Error(Usage) for a name that is taken or no file name.
    virtual std::vector<std::string> submit(const std::string& name, const std::vector<PlanRow>& rows,
                                            const SlurmOptions& options) = 0;
    /// Submits those runs of a kept plan that are neither completed nor have a job.
    virtual std::vector<std::string> submitAgain(const std::string& name) = 0;
    /// Asks Slurm for the jobs and merges runs into the database whose jobs have ended.
    virtual SubmissionsLook look() = 0;
    /// Cancels the jobs of a group; what they have trained stays. Returns their number.
    virtual std::size_t cancel(const std::string& group) = 0;
    /// Forgets a kept plan; its runs stay, here and in the folder. Throws Error(Usage) while it has jobs.
    virtual void remove(const std::string& name) = 0;
};

}  // namespace heddle::app
