// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"
#include "engine/spec/json.h"

#include <string>
#include <vector>

namespace heddle {

/// Runs the cases of a file in the format of the specification's golden.json through the modules that training uses, in float64
/// (1e-10 absolute) and float32 (1e-5, relative above 1). Shapes, masks and heads come from the file's arrays. `only` names one
/// case ("eau") or one check ("eau/y (float64)"); empty: everything. Cases and outputs that this version does not know are
/// reported, not passed. Throws Error(InvalidInput) when the file is not of that format or `only` names nothing in it.
std::vector<VerifyCheck> verifyGolden(const Json& golden, const std::string& only);

}  // namespace heddle
