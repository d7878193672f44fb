// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/data/batching/dataset.h"
#include "engine/spec/run_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// What a checkpoint says about its run (Checkpoint::identity), compared with what is there now. `folder` is the checkpoint's,
/// for the errors.

/// The files that the run left beside its checkpoints. Throws Error(InvalidInput) when the identity names no tokenizers.
RecordedFiles recordedFiles(const Json& identity, const std::string& folder);

/// Whether the run was trained with other data files. A tokenizer that the run names is counted there and not here.
bool dataHaveChanged(const Json& identity, const std::vector<std::string>& dataHashes);

/// Throws Error(InvalidInput), naming the first file that differs, unless variant, data and tokenizers are those that the
/// checkpoint was made with. `now` is the identity of the run that resumes, `spec` its spec.
void requireSameRun(const Json& identity, const Json& now, const RunSpec& spec, const std::string& folder);

/// Whether everything that the checkpoint records is so now. What only a newer version records is not compared.
bool isSameIdentity(const Json& identity, const Json& now);

}  // namespace heddle
