// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_query.h"

#include <string>

namespace heddle::app {

/// What the newest attempt that says so trained in ("fp32", "tf32", "bf16"); empty: none does.
std::string recordedPrecision(storage::RunQuery& query, const std::string& run);

}  // namespace heddle::app
