// SPDX-License-Identifier: GPL-3.0-or-later
// How fast a run trains.
#pragma once

#include "storage/run_query.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::ui {

/// Mean of the seconds that were recorded for the 200 steps up to `step`; steps may be recorded with a stride. Nothing where
/// less than two are finite. Throws StorageError.
std::optional<double> secondsPerStep(storage::RunQuery& query, const std::string& run, std::int64_t step);

}  // namespace heddle::ui
