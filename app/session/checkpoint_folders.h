// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// What is wrong with a checkpoint's files, or empty when each has the SHA-256 of its row. `artifacts` is FILE.heddle.d.
std::string checkpointProblem(const std::string& artifacts, const storage::CheckpointRecord& checkpoint);

struct CheckpointChoice {
    std::optional<storage::CheckpointRecord> checkpoint;  ///< nothing: no usable checkpoint
    std::vector<std::string> skipped;                     ///< what was wrong with newer ones, for users
};
/// The newest checkpoint whose files verify.
CheckpointChoice newestVerified(const std::string& artifacts, std::vector<storage::CheckpointRecord> checkpoints);

/// Which rows and folders may go: of kind "step" all but the newest `keepLast` (at least one), of "best" and "last" all but the
/// newest. A folder goes when no row that stays refers to it.
struct Retention {
    std::vector<storage::CheckpointRecord> rows;
    std::vector<std::string> folders;  ///< relative to FILE.heddle.d
};
Retention planRetention(const std::vector<storage::CheckpointRecord>& checkpoints, std::int64_t keepLast);

/// Renames `folder` to a ".trash-…" beside it, then deletes that: a crash in between leaves no half checkpoint behind.
/// Nothing happens if it is not there. Throws std::filesystem::filesystem_error.
void discardFolder(const std::string& folder);

/// Removes from a run's folder what a killed process left: ".tmp-…", ".trash-…", and checkpoints that no row knows.
void sweepRunFolder(const std::string& artifacts, const std::string& run,
                    const std::vector<storage::CheckpointRecord>& checkpoints);

}  // namespace heddle::app
