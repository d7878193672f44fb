// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"
#include "engine/device/row_kernels.h"

namespace heddle {

/// What dropout(key, p, …) keeps, for the row kernels. Throws Error(InvalidInput) for p outside [0,1).
rows::Drop dropOf(const RandomKey& key, double p);

}  // namespace heddle
