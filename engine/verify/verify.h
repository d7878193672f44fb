// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"

#include <vector>

namespace heddle {

/// Runs the cases of a golden file through the modules that training uses, in float64 (1e-10 absolute) and float32 (1e-5,
/// relative above 1), and the properties if requested. Shapes, masks and heads come from the file's arrays. Cases and outputs
/// that this version does not know are reported, not passed. Throws Error(InvalidInput) if the file is not in that format or
/// `only` names nothing.
std::vector<VerifyCheck> runChecks(const VerifyRequest& request);

}  // namespace heddle
