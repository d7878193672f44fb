// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Parameters per module path of the tree that was really built, in the order and under the names of countCost (modules without
/// parameters included). A parameter that belongs to none of them is listed under its own path, so that no count can hide.
std::vector<std::pair<std::string, std::int64_t>> parametersByModule(const Model& model);

}  // namespace heddle
