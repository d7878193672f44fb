// SPDX-License-Identifier: Apache-2.0
// The sweeps and studies of a database that the studio submits to Slurm and watches, as `heddle sweep PLAN --launcher slurm`
// and `heddle study FILE --launcher slurm` do: each look is a moment of that command's watch.
#pragma once

#include "app/launch/kept_submissions.h"
#include "app/launch/slurm_arrays.h"
#include "app/study/planned_runs.h"
#include "app/study/study_progress.h"
#include "app/study/submissions.h"
#include "engine/run/engine.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::app {

class SlurmSubmissions final : public Submissions {
public:
    /// Writes nothing before the first submission. `command` is named to other programs that submit or watch: "studio".
    /// `engine`, called on the thread of a look, evaluates the means of weights that a study asks for.
    SlurmSubmissions(const std::string& database, std::string command, std::function<std::shared_ptr<Engine>()> engine);

    std::string folder() const override { return folder_; }
    std::vector<std::string> submit(const std::string& name, const std::vector<PlanRow>& rows,
                                    const SlurmOptions& options) override;
    std::vector<std::string> submitStudy(const std::string& key, const SlurmOptions& options) override;
    std::vector<std::string> submitAgain(const std::string& name) override;
    /// A job counts as ended only when two looks have found that it has, as in SlurmLauncher. While another program holds the
    /// lock of the folder, this call only reads, because that program merges and submits.
    SubmissionsLook look() override;
    std::size_t cancel(const std::string& name) override;
    void remove(const std::string& name) override;

private:
    std::vector<std::string> groupsOf(const std::string& name) const;
    bool hasJobs(const std::string& name, const std::vector<SlurmArray>& arrays) const;
    std::vector<std::string> train(const std::string& name, std::optional<StudyProgress> known = {}) const;
    std::vector<std::string> trainOrForget(const std::string& name) const;
    StudyProgress progressOfStudy(const std::string& key) const;
    void merge(SlurmArrays& arrays, const SlurmQueue& queue, SubmissionsLook& look);
    void settle(SlurmArrays& arrays, const SlurmArray& array, std::size_t run, SubmissionsLook& look) const;
    void goOn(const std::string& name, SubmissionsLook& look) const;
    std::vector<PlannedRun> runsOf(const std::string& name) const;
    SubmittedRun stateOf(const PlannedRun& run, const std::vector<SlurmArray>& arrays, const SlurmQueue* queue) const;
    Submission keptSubmission(const std::string& name, const std::vector<SlurmArray>& arrays, const SlurmQueue* queue) const;

    std::string database_, command_, folder_;
    std::function<std::shared_ptr<Engine>()> engine_;
    KeptSubmissions kept_;
    std::mutex use_;                 ///< held by all calls that write
    std::set<SlurmTask> seenEnded_;  ///< the open tasks that the last look found ended
};

}  // namespace heddle::app
