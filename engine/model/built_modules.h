// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"
#include "engine/spec/module_path.h"

#include <vector>

namespace heddle {

/// The modules of a built model with the parameters that are really there, in the order and with the paths of countCost
/// (including modules without parameters). A parameter outside of these modules is listed under its own path.
std::vector<BuiltModule> builtModules(const Model& model);

}  // namespace heddle
