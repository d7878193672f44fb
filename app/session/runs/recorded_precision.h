// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_query.h"

#include <string>

namespace heddle::app {

/// The recorded precision of the newest attempt that has one ("fp32", "tf32", "bf16"); empty: none.
std::string recordedPrecision(storage::RunQuery& query, const std::string& run);

}  // namespace heddle::app
