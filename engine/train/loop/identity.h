// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/data/batching/dataset.h"
#include "engine/spec/run_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// Comparison of a checkpoint's recorded identity (Checkpoint::identity) with the present run. `folder`: the checkpoint's, for
/// errors.

/// The files that the run saved beside its checkpoints. Throws Error(InvalidInput) when the identity names no tokenizers.
RecordedFiles recordedFiles(const Json& identity, const std::string& folder);

/// Whether the run was trained with other data files. Does not compare tokenizer files named by the spec.
bool dataHaveChanged(const Json& identity, const std::vector<std::string>& dataHashes);

/// Throws Error(InvalidInput), naming the first file that differs, unless variant, data and tokenizers equal the checkpoint's.
/// `now` is the identity of the resuming run, `spec` its spec.
void requireSameRun(const Json& identity, const Json& now, const RunSpec& spec, const std::string& folder);

/// Whether all members recorded in the checkpoint have the same value in `now`. Members recorded only by newer versions are
/// ignored.
bool isSameIdentity(const Json& identity, const Json& now);

}  // namespace heddle
