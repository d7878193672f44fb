// SPDX-License-Identifier: Apache-2.0
// The folder FILE.heddle.jobs beside a database: which of its runs were submitted to Slurm, and what their jobs have written.
// The same command, given again, goes on with them.
//
//   job.sh              what a job does
//   arrays/NAME.json    a submitted array, until all its runs have ended
//   arrays/NAME/1, …    links to the folders of its runs, by the number of the task
//   runs/KEY/plan.json  the run
//   runs/KEY/data/      its database, runs.heddle, until the run is copied into the study's
//   runs/KEY/merged     it was copied, and the folder stays only for jobs that start from its checkpoints
//   runs/KEY/log.txt    what its jobs printed
#pragma once

#include "app/study/planned_runs.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::app {

/// An array as it was submitted.
struct SlurmArray {
    std::string name;                      ///< of the job, unique
    std::string group;                     ///< of the runs
    double submitted = 0;                  ///< Unix time
    std::int64_t job = 0;                  ///< 0: the command ended before it had recorded the number
    std::vector<std::string> runs;         ///< keys
    std::vector<std::string> ended;        ///< keys of the runs whose end was handled: they were merged, or reported as failed
    std::vector<std::int64_t> tasks = {};  ///< the number of each run's task; empty: 1, 2, …
    std::int64_t after = 0;                ///< each task waits for that of the same number of this job; 0: for none
    std::map<std::string, std::string> startsIn = {};  ///< of a run that waits for another one: the key of that one

    std::int64_t taskOf(std::size_t run) const { return tasks.empty() ? std::int64_t(run) + 1 : tasks[run]; }
};

/// FILE.heddle.jobs. Used by one thread of one process, which holds the folder's lock.
class SlurmFolder {
public:
    /// Writes nothing.
    explicit SlurmFolder(const std::string& database);
    /// Creates the folder and writes job.sh. Throws Error(Failure).
    void create() const;

    std::string script() const { return path_ + "/job.sh"; }
    std::string folderOf(const std::string& key) const { return path_ + "/runs/" + key; }
    std::string databaseOf(const std::string& key) const { return folderOf(key) + "/data/runs.heddle"; }
    std::string logOf(const std::string& key) const { return folderOf(key) + "/log.txt"; }
    std::string linksOf(const SlurmArray& array) const { return path_ + "/arrays/" + array.name; }

    /// The arrays of which some run has not ended, oldest first; none if there is no folder. Throws Error(InvalidInput) for a
    /// file that is no record of an array.
    std::vector<SlurmArray> arrays() const;
    /// Writes the record of the array and the links to the folders of its runs, or removes both when all its runs have ended.
    void write(const SlurmArray& array) const;
    /// Writes the plan of a run, and removes first what it left there when it was merged. If it waits for its start, the plan
    /// names the database in the start's folder. There a run has the name with which it was first prepared, whatever the plan
    /// calls it since: its database has it, too. Throws Error(InvalidInput) for a damaged plan.
    void prepare(const std::string& key, const PlannedRun& run) const;
    /// Whether a run was prepared, and not merged since.
    bool isPrepared(const std::string& key) const;
    /// Notes that the records of a run are in the study's database, so that its folder may go.
    void setMerged(const std::string& key) const;
    /// Removes the folders of the merged runs but for those whose keys are given.
    void forgetMerged(const std::set<std::string>& needed) const;
    /// The title of a run that was prepared: "base, seed 2", safe to print; its key if its plan is gone.
    std::string titleOf(const std::string& key) const;
    /// The last lines of the run's log, indented; empty if there is none.
    std::string lastLinesOf(const std::string& key) const;

private:
    std::string planOf(const std::string& key) const;
    /// The name of the run in a folder that is prepared.
    std::string nameIn(const std::string& key, const std::string& otherwise) const;

    std::string path_;
};

/// FILE.heddle.jobs of a database.
std::string slurmFolderOf(const std::string& database);

}  // namespace heddle::app
