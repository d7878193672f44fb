// SPDX-License-Identifier: Apache-2.0
// Sweeps and studies that train as jobs of Slurm, as the window sees them. app/launch submits them.
#pragma once

#include "engine/base/error.h"
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

/// A run of a sweep or study, and where it stands.
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

/// A sweep or study whose runs were submitted.
struct Submission {
    std::string name;     ///< unique: "gates"; of a study, and of a sweep of the command line, its group: "study/gates"
    bool isKept = false;  ///< false: a command submitted it; `runs` are the open ones alone
    /// Of a study: those that have a job or an end, and those that come next.
    std::vector<SubmittedRun> runs;
    std::string study = {};  ///< the key of the study; empty: a sweep
    bool goesOn = false;     ///< looks submit the study's further runs until it is over

    std::size_t count(SubmittedRun::At at) const;
    /// Whether looks find something new: a run is open, or the study goes on.
    bool isOpen() const;
    bool hasJobs() const;
    /// Whether the same command, given again, would submit something. A study does not train a failed run again.
    bool canSubmit() const;
};

/// Whether a sweep may have this name, which is that of the file of its plan: no "/", and no point at its beginning.
bool isSweepName(const std::string& name);

/// A study of which looks submit nothing more.
struct StudyEnd {
    std::string key;
    std::optional<Error> problem;  ///< why it was not trained to its end; nothing: it is over
};

/// What a look at the jobs of a database found and did.
struct SubmissionsLook {
    std::vector<Submission> all;        ///< by name, those of commands last
    std::vector<std::string> merged;    ///< titles of the completed runs that were merged at this look
    std::vector<std::string> failures;  ///< of runs that failed or were lost, with the last lines of their logs
    std::vector<StudyEnd> ended;        ///< at this look
    std::string problem;                ///< why states are not known or runs are not merged now; empty: none
};

/// The sweeps and studies of a database that are trained as jobs of Slurm. Thread-safe. A call may take minutes; it throws
/// Error and StorageError.
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
    /// Submits the runs of a study of the database that come next, and keeps the options, in place of earlier ones: looks
    /// submit those after them. Returns what submit() does. Throws Error(Usage) if no run comes next.
    virtual std::vector<std::string> submitStudy(const std::string& key, const SlurmOptions& options) = 0;
    /// Submits those runs of a kept plan or study that are neither completed nor have a job; the study goes on.
    virtual std::vector<std::string> submitAgain(const std::string& name) = 0;
    /// Asks Slurm for the jobs, merges runs into the database whose jobs have ended, and submits the runs that come next in a
    /// study without jobs. It submits each run once: a study with a job that ended before its run, or whose runs are refused,
    /// waits for submitStudy() or submitAgain().
    virtual SubmissionsLook look() = 0;
    /// Cancels the jobs of a submission; what they have trained stays, and a study does not go on. Returns their number.
    virtual std::size_t cancel(const std::string& name) = 0;
    /// Forgets a kept plan, or that a study is trained here; the runs stay, here and in the folder. Throws Error(Usage) while
    /// it has jobs.
    virtual void remove(const std::string& name) = 0;
};

}  // namespace heddle::app
