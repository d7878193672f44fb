// SPDX-License-Identifier: Apache-2.0
// What the norms share: their place, and that a sandwich has two of them.
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// The option `place`.
inline FieldSchema normPlaceField() {
    return fields::choice<NormPlace>(
        "place",
        "Post-norm (after the residual connection), pre-norm (before the sublayer), sandwich (before the sublayer and, with "
        "parameters of its own, on its output before the residual connection, as in Gemma 2), or res_post (on the output "
        "alone, as in Swin V2 and OLMo 2).");
}

/// Whether the block has a second norm, of the sublayer's output. The norm at the end of a stack has no place.
inline bool hasOutputNorm(const BlockContext& where, NormPlace place) {
    return place == NormPlace::Sandwich && where.sublayer.has_value();
}

}  // namespace heddle
