// SPDX-License-Identifier: Apache-2.0
// Copies a run from its job's database into the study's.
#pragma once

#include <string>

namespace heddle::app {

struct MergedRun {
    enum class End {
        Merged,      ///< completed or failed, and now in the study's database
        Unfinished,  ///< its job ended before it did; the next one goes on with it
        Busy,        ///< one of the two databases has an owner now
    };
    End end = End::Unfinished;
    std::string run, state;  ///< of a merged one: id and state
    std::string why;         ///< of others
};

/// Checks every record, checkpoint and tokenizer of a job's database `from` and copies its run into `to`, in `group`; the
/// copy's checkpoints are checked again. A run that is there already is not copied twice. Throws Error(InvalidInput) for a
/// damaged one.
MergedRun mergeRun(const std::string& from, const std::string& to, const std::string& group);

}  // namespace heddle::app
