// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/launch/slurm_folder.h"
#include "app/launch/slurm_merge.h"
#include "app/launch/slurm_queue.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::storage {
class WriterLock;
}  // namespace heddle::storage

namespace heddle::app {

/// The arrays of FILE.heddle.jobs of which some run has not ended. Holds the folder's lock: of a database's submissions one
/// program at a time changes the records. Creates the folder.
class SlurmArrays {
public:
    /// `owner`, such as "heddle study", is named to other programs. Throws Error(Failure) while another one holds the lock.
    SlurmArrays(const std::string& database, const std::string& owner);
    ~SlurmArrays();
    SlurmArrays(const SlurmArrays&) = delete;
    SlurmArrays& operator=(const SlurmArrays&) = delete;

    const SlurmFolder& folder() const { return folder_; }
    const std::vector<SlurmArray>& all() const { return arrays_; }
    /// Finds the job of each array whose job number is not recorded, because the program ended during the submission. A job has
    /// the name of its array.
    void adopt(const SlurmQueue& queue);
    /// Takes an array that was submitted and is recorded.
    void add(SlurmArray array) { arrays_.push_back(std::move(array)); }
    /// Calls mergeRun(). A damaged run counts as unfinished, and its damage is the reason.
    MergedRun tryMerge(const std::string& key, const std::string& group) const;
    /// Records that the job of the run has ended, and that the run was merged or its loss reported.
    void close(const std::string& key);
    /// Removes the folders of merged runs, but for those from which a run starts whose job has not ended.
    void forgetMerged() const;

private:
    std::string database_;
    std::unique_ptr<storage::WriterLock> lock_;
    SlurmFolder folder_;
    std::vector<SlurmArray> arrays_;
};

/// The newest task of a run among those whose end was not handled yet; nothing if there is none.
std::optional<SlurmTask> openTask(const std::vector<SlurmArray>& arrays, const std::string& key);

/// Returns the words that tell people why the job of a run ended before the run did, or why the run failed. They contain
/// Returns the reason that Slurm gives and the last lines of the log. `task` has job 0 if Slurm gave it no number.
std::string failureText(const SlurmFolder& folder, const std::string& key, const SlurmTask& task, const std::string& why);

}  // namespace heddle::app
