// SPDX-License-Identifier: Apache-2.0
// What the norms share: their place, and that two of the places have two norms.
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// The option `place`.
inline FieldSchema normPlaceField() {
    return fields::choice<NormPlace>(
        "place",
        "Post-norm (after the residual connection), pre-norm (before the sublayer), sandwich (before the sublayer and, with "
        "parameters of its own, on its output before the residual connection, as in Gemma 2), res_post (on the output alone, "
        "as in Swin V2 and OLMo 2), or both (before the sublayer and, with parameters of its own, after the residual "
        "connection, as in Keel).");
}

/// Whether the block has a second norm, behind the sublayer. The norm at the end of a stack has no place.
inline bool hasSecondNorm(const BlockContext& where, NormPlace place) {
    return (place == NormPlace::Sandwich || place == NormPlace::Both) && where.sublayer.has_value();
}

}  // namespace heddle
