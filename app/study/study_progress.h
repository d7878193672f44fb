// SPDX-License-Identifier: Apache-2.0
// What training a study has to do next, for whoever trains it step by step.
#pragma once

#include "app/study/planned_runs.h"
#include "engine/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

class StudyRuns;
struct AskedStudy;

/// The group of a study's runs in a database, or that of the trials that choose their settings. `key`: of the study.
std::string groupOfStudy(const std::string& key, bool areTrials);

/// The key of the study whose runs or trials have this group; empty for another group.
std::string studyOfGroup(const std::string& group);

/// The runs of a study that `database`, which `query` reads, keeps under `key`, refreshed. Throws Error(InvalidInput) where
/// `asked` is nothing, and as StudyRuns.
StudyRuns runsOfAsked(const std::optional<AskedStudy>& asked, const std::string& key, storage::RunQuery& query,
                      const std::string& database);

/// The mean of the weights of a run's last checkpoints, whose value a study compares.
struct AveragedValue {
    std::string run;         ///< id
    std::int64_t count = 0;  ///< of checkpoints
    std::string split, device;
};

/// The averages that the rules of value ask for, of the runs that have completed, evaluated or not.
std::vector<AveragedValue> averagesOf(const StudyRuns& runs);

struct StudyProgress {
    /// The runs to train next, in this order; a run without an id has not begun. They are trials while trials must still choose
    /// settings.
    std::vector<PlannedRun> next;
    std::string group;                    ///< of the runs to begin
    std::vector<std::string> open;        ///< ids of the study's runs that train or wait in a queue
    std::vector<AveragedValue> averages;  ///< those that are not evaluated; what is next is known after they are
    std::optional<Error> problem;         ///< why the study, or one of its rows, cannot go on to its end
    bool isOver() const { return next.empty() && open.empty() && averages.empty(); }
};

/// `runs` must be refreshed from `database`, which `query` reads. Throws storage::StorageError.
StudyProgress progressOf(StudyRuns& runs, storage::RunQuery& query, const std::string& database);

}  // namespace heddle::app
