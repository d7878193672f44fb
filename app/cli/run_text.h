// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_query.h"

#include <string>

namespace heddle::app {

/// A run as text: state, spec, evaluations, checkpoints, attempts with their replay verdict, errors.
std::string runText(storage::RunQuery& query, const storage::RunRecord& run);

}  // namespace heddle::app
