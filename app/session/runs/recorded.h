// SPDX-License-Identifier: Apache-2.0
// What the next attempt of a run takes over from the run's records.
#pragma once

#include "engine/run/intervention_change.h"
#include "engine/spec/precision.h"
#include "storage/run_query.h"

#include <string>
#include <vector>

namespace heddle::app {

/// The interventions in a run's training, from its events in their order. Adds a note for each event that cannot be read.
std::vector<InterventionsAt> recordedInterventions(storage::RunQuery& query, const std::string& run,
                                                   std::vector<std::string>& notes);

/// Returns the recorded precision of the newest attempt that has one; Auto if none has.
Precision recordedPrecision(storage::RunQuery& query, const std::string& run);

}  // namespace heddle::app
