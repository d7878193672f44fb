// SPDX-License-Identifier: Apache-2.0
// Copies a run from its job's database into the study's.
#pragma once

#include <string>

namespace heddle::app {

struct MergedRun {
    enum class End {
        Merged,      ///< completed or failed, and now in the study's database
        Unfinished,  ///< its job ended before the run did; the next job goes on with it
        Busy,        ///< one of the two databases has an owner now
    };
    End end = End::Unfinished;
    std::string run, state;  ///< if merged: the run's id and state
    std::string why;         ///< if not merged: the reason
};

/// Checks every record, checkpoint and tokenizer of a job's database `from`, KEY/data/runs.heddle, copies its run into the
/// database `to`, there in `group`, and checks the checkpoints of the copy. A run that starts from the run of another job names
/// that run's copy as its start and its parent. A run that `to` already has is not copied again. Throws Error(InvalidInput) for
/// a damaged run.
MergedRun mergeRun(const std::string& from, const std::string& to, const std::string& group);

}  // namespace heddle::app
