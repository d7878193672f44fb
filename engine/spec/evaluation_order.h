// SPDX-License-Identifier: Apache-2.0
// The order in which a sublayer's slots are evaluated (shared/spec/variants.md, section 0), and when two layers are the same.
#pragma once

#include "engine/spec/variant_spec.h"

namespace heddle {

struct EvaluationOrder {
    std::vector<std::string> before, mixer, after;  ///< slots before the mixer, those that make it up, those after it
};
EvaluationOrder evaluationOrder(const ResolvedSublayer& sublayer);

/// Same sublayers with the same blocks and parameters.
bool sameLayer(const ResolvedLayer& a, const ResolvedLayer& b);

}  // namespace heddle
