// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// One module of the count: a slot's block, an embedding or the head.
struct ModuleCost {
    std::string path;  ///< "encoder.layers.0.self.residual"
    std::int64_t parameters = 0;
    double flopsPerToken = 0;  ///< forward; multiply-add counts as 2
};

struct Cost {
    std::int64_t parameters = 0;
    std::vector<ModuleCost> modules;  ///< in model order; modules without parameters are listed too
};

/// False where a block's size depends on a vocabulary whose size is not known.
bool hasVocabulary(const ResolvedVariant& variant, const Catalogue& catalogue);
/// Throws Error(InvalidInput) in that case.
void throwIfVocabularyIsMissing(const ResolvedVariant& variant, const Catalogue& catalogue);

/// Tokens of the longest sequence that every block takes, with its end marks; dims.max_len where none says less.
std::int64_t longestSequence(const ResolvedVariant& variant, const Catalogue& catalogue);

/// Counts by the descriptors' closed forms alone; needs no torch. Vocabulary sizes must be known.
Cost countCost(const ResolvedVariant& variant, const Catalogue& catalogue);

}  // namespace heddle
