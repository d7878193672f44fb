// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// Runs the blocks' own checks with the variant's sizes; reports a problem of several layers once.
void checkBlocks(const ResolvedVariant& variant, const Catalogue& catalogue, std::vector<Problem>& problems);

/// Checks the rules between slots (variants.md section 5, "Rules"): contradicting choices, or choices without effect. Appends
/// each problem once per sublayer of a stack.
void checkComposition(const ResolvedVariant& variant, std::vector<Problem>& problems);

/// A block through which a decoder's attention to its own sequence learns of later positions.
struct FutureView {
    std::string path;  ///< in the first layer that has it: "decoder.layers.0.self.mask"
    std::string sublayer, slot, block;
};
/// Each once per sublayer of the stack; none in a model without a decoder.
std::vector<FutureView> futureViews(const ResolvedVariant& variant);

/// Notes on redundant or misleading choices of a valid variant, which are equivalent to others. Each names its path; once per
/// sublayer of a stack.
std::vector<std::string> compositionNotes(const ResolvedVariant& variant);

}  // namespace heddle
