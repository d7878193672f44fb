// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"

#include <vector>

namespace heddle {

namespace verify {

class CaseChecks;

/// A property of blocks or models that holds for all inputs and needs no file (variants.md section 7, A5 a–o, A7, A8). Inputs
/// and weights are drawn from a fixed seed. tests/dev/engine/properties.h lists the properties.
struct Property {
    const char* name;  ///< "causality"; its checks are named "causality/<what>"
    void (*run)(CaseChecks& checks);
};

}  // namespace verify

/// Runs the cases of a golden file through the modules that training uses, in float64 (1e-10 absolute) and float32 (1e-5,
/// relative above 1). Shapes, masks and heads come from the file's arrays. Cases and outputs that this version does not know
/// are reported, not passed. With the shipped file also checks, on the CPU, `properties`, and on a device the training pass of
/// every preset. Throws Error(InvalidInput) if the file is not in that format or `only` names nothing.
std::vector<VerifyCheck> runChecks(const VerifyRequest& request, const std::vector<verify::Property>& properties = {});

}  // namespace heddle
