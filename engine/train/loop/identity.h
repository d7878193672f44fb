// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/loading/run_data.h"
#include "engine/spec/run_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// Comparison of a checkpoint's recorded identity (Checkpoint::identity) with the present run. `folder`: the checkpoint's, for
/// errors.

/// The files that the run saved beside its checkpoints. Throws Error(InvalidInput) when the identity names no tokenizers.
RecordedFiles recordedFiles(const Json& identity, const std::string& folder);

/// Throws Error(InvalidInput) for a run of task span that was trained before answers were offsets of characters, which named no
/// kinds of answers (span_kinds.h). Whoever loads a run's weights asks it first.
void requireSameAnswers(const Json& identity, const RunSpec& spec);

/// Says the same of the weights that a run would start from; `place`: where they are, `next`: what to do.
[[noreturn]] void throwOtherAnswers(const std::string& place, const std::string& next);

/// A file that is not the one that the run was trained with.
struct ChangedFile {
    std::string setting;  ///< data.valid.source, …; "data" where the recorded hashes have no names
    std::string text;     ///< the file, and both hashes
};

/// The files of the run's spec whose hashes are not those of its training. Files that were not read now, with hashes at the end
/// of the recorded ones, are not compared.
std::vector<ChangedFile> changedFiles(const Json& identity, const RunSpec& spec, const std::vector<std::string>& dataHashes);

/// Throws Error(InvalidInput), naming the file, unless the examples of `split` are those that the run was trained with; returns
/// warnings of other files that are not.
std::vector<std::string> requireOwnExamples(const Json& identity, const RunSpec& spec,
                                            const std::vector<std::string>& dataHashes, const std::string& split);

/// Throws Error(InvalidInput), naming the file, unless the word vectors that fillFrozenTables() has read are those of the run.
void requireSameVectors(const Json& identity, const RunSpec& spec, const std::vector<std::string>& vectorHashes);

/// Throws Error(InvalidInput), naming the first file that differs, unless variant, data and tokenizers equal the checkpoint's.
/// `now` is the identity of the resuming run, `spec` its spec.
void requireSameRun(const Json& identity, const Json& now, const RunSpec& spec, const std::string& folder);

/// Whether all members recorded in the checkpoint have the same value in `now`. Members recorded only by newer versions are
/// ignored.
bool isSameIdentity(const Json& identity, const Json& now);

}  // namespace heddle
