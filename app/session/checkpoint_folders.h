// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"
#include "storage/run_query.h"

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

/// Puts what lies in the run's folder below `from` into that below `to`, as hard links or else copies; what `to` has stays as
/// it is. Throws std::filesystem::filesystem_error.
void linkMissing(const std::string& from, const std::string& to, const std::string& run);

/// Removes from FILE.heddle.d what killed processes left: folders of runs that the database knows as deleted, ".trash-…" of
/// runs, unfinished imports, and in the folders of its runs what was being written or removed. A folder of a run that the
/// database knows nothing of stays: the file may be an older copy, and then the folder holds the only checkpoints of a newer
/// run. The caller holds the writer lock. What cannot be removed stays.
void sweepArtifacts(const std::string& artifacts, storage::RunQuery& query);

/// Removes from a run's folder what a killed process left: ".tmp-…", ".trash-…", checkpoints that no row knows, and tokenizer
/// files that were being written ("….tmp").
void sweepRunFolder(const std::string& artifacts, const std::string& run,
                    const std::vector<storage::CheckpointRecord>& checkpoints);

}  // namespace heddle::app
