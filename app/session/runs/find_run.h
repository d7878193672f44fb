// SPDX-License-Identifier: Apache-2.0
// Which run a user means, and whether it can be used.
#pragma once

#include "storage/records.h"
#include "storage/run_query.h"

#include <string>
#include <vector>

namespace heddle::app {

/// Returns the id. Throws Error(InvalidInput) for an invalid run id, which must not become a path.
std::string requireRunId(const std::string& run);

/// Throws Error(InvalidInput) for a run whose row is damaged and so unusable.
void requireWhole(const storage::RunRecord& run);

/// Throws Error(Usage) for a completed run, which has no steps left, and for an imported one.
void requireResumable(const storage::RunRecord& run);

/// Returns the record of the run with this id. Throws Error(Usage) if there is none.
storage::RunRecord recordOf(storage::RunQuery& query, const std::string& run);

/// The runs matching RUN: by id, else by id prefix, else by name. Excludes runs in the trash and runs that failed before their
/// first step, unless there are no others.
std::vector<storage::RunRecord> matchingRuns(storage::RunQuery& query, const std::string& text);

/// The run matching RUN: an id, a unique prefix of one, or a unique name. Throws Error(Usage) naming the candidates.
storage::RunRecord findRun(storage::RunQuery& query, const std::string& text);

}  // namespace heddle::app
