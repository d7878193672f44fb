// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/catalogue.h"

#include <vector>

namespace heddle {

/// Fills in the sizes of the base model (dims.base_d) that are not given, and adds a problem for each that is not whole.
void resolveBase(Dims& dims, std::vector<Problem>& problems);

}  // namespace heddle
