// SPDX-License-Identifier: Apache-2.0
// The sweeps of a database that the studio submits to Slurm and watches, as `heddle sweep PLAN --launcher slurm` does: each
// look is a moment of that command's watch. Plans and options are kept in the folder of the submissions, FILE.heddle.jobs:
//
//   plans/NAME.json    the plan; `heddle sweep FILE.heddle.jobs/plans/NAME.json --launcher slurm` goes on with it, too
//   options/NAME.json  what sbatch is told
#pragma once

#include "app/launch/slurm_arrays.h"
#include "app/study/planned_runs.h"
#include "app/study/submissions.h"

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace heddle::app {

class SlurmSubmissions final : public Submissions {
public:
    /// Writes nothing before the first submission. `command` is named to other programs that submit or watch: "studio".
    SlurmSubmissions(const std::string& database, std::string command);

    std::string folder() const override { return folder_; }
    std::vector<std::string> submit(const std::string& name, const std::vector<PlanRow>& rows,
                                    const SlurmOptions& options) override;
    std::vector<std::string> submitAgain(const std::string& name) override;
    /// A job counts as ended only when two looks have found that it has, as in SlurmLauncher. While another program holds the
    /// folder's lock, only reads: that program merges.
    SubmissionsLook look() override;
    std::size_t cancel(const std::string& group) override;
    void remove(const std::string& name) override;

private:
    std::string planOf(const std::string& name) const { return folder_ + "/plans/" + name + ".json"; }
    std::string optionsOf(const std::string& name) const { return folder_ + "/options/" + name + ".json"; }
    std::vector<std::string> names() const;
    std::vector<std::string> train(const std::string& name) const;
    void merge(SlurmArrays& arrays, const SlurmQueue& queue, SubmissionsLook& look);
    void settle(SlurmArrays& arrays, const SlurmArray& array, std::size_t run, SubmissionsLook& look) const;
    SubmittedRun stateOf(const PlannedRun& run, const std::vector<SlurmArray>& arrays, const SlurmQueue* queue) const;
    Submission keptSweep(const std::string& name, const std::vector<SlurmArray>& arrays, const SlurmQueue* queue) const;

    std::string database_, command_, folder_;
    std::mutex use_;                 ///< held by submissions, looks and removals
    std::set<SlurmTask> seenEnded_;  ///< the open tasks that the last look found ended
};

}  // namespace heddle::app
