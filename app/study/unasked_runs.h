// SPDX-License-Identifier: Apache-2.0
// Runs that a verdict could rest on and does not, because nobody asked for them: seeds that were left out by choice.
#pragma once

#include "engine/analysis/study.h"
#include "storage/run_query.h"

#include <vector>

namespace heddle::app {

class StudyRuns;

/// What ends the group of runs that are trials of a tuning.
inline constexpr const char* kTrialsGroup = "/trials";

/// Of each row the completed runs of its experiment (run_group.h), in the trash or not, whose seeds have no value in it and
/// which the study asks for in no row. Trials of a tuning and runs that were intervened in do not count. `runs` is refreshed.
/// Throws storage::StorageError.
std::vector<UnaskedRuns> unaskedRuns(const StudyRuns& runs, storage::RunQuery& query);

}  // namespace heddle::app
