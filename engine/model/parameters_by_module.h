// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Parameter counts per module path of the built model, in the order and with the names of countCost (including modules without
/// parameters). A parameter outside of these modules is listed under its own path.
std::vector<std::pair<std::string, std::int64_t>> parametersByModule(const Model& model);

}  // namespace heddle
