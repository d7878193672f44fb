// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <vector>

namespace heddle {

/// What blocks of different slots demand of each other (variants.md section 5, "Rules"): choices that contradict, or of which
/// one would have no effect. Appends a problem for each, once for a sublayer of a stack however many layers have it.
void checkComposition(const ResolvedVariant& variant, std::vector<Problem>& problems);

/// What a valid variant says twice or in a misleading way, for people: choices that are equal to others in their place. Each
/// names its path; once for a sublayer of a stack.
std::vector<std::string> compositionNotes(const ResolvedVariant& variant);

}  // namespace heddle
