// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <vector>

namespace heddle {

/// Checks the rules between slots (variants.md section 5, "Rules"): contradicting choices, or choices without effect. Appends
/// each problem once per sublayer of a stack.
void checkComposition(const ResolvedVariant& variant, std::vector<Problem>& problems);

/// Notes on redundant or misleading choices of a valid variant, which are equivalent to others. Each names its path; once per
/// sublayer of a stack.
std::vector<std::string> compositionNotes(const ResolvedVariant& variant);

}  // namespace heddle
