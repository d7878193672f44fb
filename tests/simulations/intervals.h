// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/simulations/table.h"

namespace heddle {

/// How often the noise floor, two-level intervals, bands of learning curves and scaling fits hold the truth.
void simulateIntervals(Table& table);

}  // namespace heddle
