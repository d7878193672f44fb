// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"
#include "storage/run_query.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

// No link inside FILE.heddle.d is followed (engine/base/links.h); `artifacts` is FILE.heddle.d, which itself may be one.

/// Copies what training has written into a run's folder, as far as its records name it, to a new folder `to`: the checkpoints
/// of the rows, tokenizers and class names; syncs. Returns what was left out and why, for the copy's records: links, files
/// larger than recorded, checkpoints of damaged rows. Throws Error when the disk is full.
std::vector<std::string> copyRunFolder(const std::string& artifacts, const std::string& run,
                                       const std::vector<storage::CheckpointRecord>& checkpoints, const std::string& to);

/// Returns the id of the run below `artifacts` to which the folder `checkpoint` belongs; empty if it lies elsewhere. Both paths
/// are absolute. Reads no files.
std::string runOfCheckpoint(const std::string& checkpoint, const std::string& artifacts);

/// The problem of a checkpoint's files; empty if all have the SHA-256 of the row. `artifacts` is FILE.heddle.d.
std::string checkpointProblem(const std::string& artifacts, const storage::CheckpointRecord& checkpoint);

/// The problems of the tokenizers and class names beside a whole checkpoint, by the hashes in its state.json.
std::vector<std::string> vocabularyProblems(const std::string& artifacts, const storage::CheckpointRecord& checkpoint);

/// The problems of all checkpoints of a database and of the tokenizers beside them, each with its run.
std::vector<std::string> checkpointProblems(storage::RunQuery& query, const std::string& artifacts);

struct CheckpointChoice {
    std::optional<storage::CheckpointRecord> checkpoint;  ///< empty: no usable checkpoint
    std::vector<std::string> skipped;                     ///< problems of newer ones, for records: without `artifacts`
};
/// The newest checkpoint whose files verify; never an average, which is not a state of training.
CheckpointChoice newestVerified(const std::string& artifacts, std::vector<storage::CheckpointRecord> checkpoints);

/// The rows and folders to remove: of kind "step" all but the newest `keepLast` (at least one), of "best" and "last" all but
/// the newest. Averages stay. A folder is removed if no remaining row refers to it.
struct Retention {
    std::vector<storage::CheckpointRecord> rows;
    std::vector<std::string> folders;  ///< relative to FILE.heddle.d
};
Retention planRetention(const std::vector<storage::CheckpointRecord>& checkpoints, std::int64_t keepLast);

/// Renames `folder`, relative to `artifacts`, to ".trash-…" and then deletes it, so that a crash leaves no partial checkpoint.
/// If `folder` is a link, only the link is removed. A missing folder is no error. Throws std::filesystem::filesystem_error, and
/// Error(InvalidInput) when a folder above it is a link.
void discardFolder(const std::string& artifacts, const std::string& folder);

/// Adds the files of the run's folder below `from` to that below `to`, as hard links or else copies; existing files are kept.
/// Throws std::filesystem::filesystem_error, and Error(InvalidInput) when the target is a link.
void linkMissing(const std::string& from, const std::string& to, const std::string& run);

/// Removes leftovers of killed processes from FILE.heddle.d: folders of deleted runs, ".trash-…" of runs, unfinished imports,
/// and in the folders of its runs files being written or removed and checkpoints without a row before one that has a row. Keeps
/// later ones and folders of unknown runs, because the database may be an older copy and the folder then holds the only
/// checkpoints of a newer run. Requires the writer lock. Ignores what cannot be removed.
void sweepArtifacts(const std::string& artifacts, storage::RunQuery& query);

/// Removes leftovers of a killed process from a run's folder: ".tmp-…", ".trash-…", checkpoints without row, and unfinished
/// tokenizer files ("….tmp").
void sweepRunFolder(const std::string& artifacts, const std::string& run,
                    const std::vector<storage::CheckpointRecord>& checkpoints);

}  // namespace heddle::app
