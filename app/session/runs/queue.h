// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"

#include <vector>

namespace heddle::app {

/// Those of `runs` in the queue (state queued, not in the trash), in starting order.
std::vector<storage::RunRecord> queueOf(std::vector<storage::RunRecord> runs);

}  // namespace heddle::app
