// SPDX-License-Identifier: Apache-2.0
// What the adjusters share that stand between the merged heads and the output projection of an attention.
#pragma once

#include "engine/blocks/block_file.h"

#include <optional>
#include <string>

#ifndef HEDDLE_MODULES

namespace heddle {

/// Declares that the adjuster always stands before the output projection, and refuses values that have none.
inline void placeBeforeProjection(BlockDescriptor& adjuster) {
    adjuster.placeOf = [](const Json&) { return AdjusterPlace::BeforeOutputProjection; };
    adjuster.fits = [](const Neighbours& beside, const Json&) -> std::optional<Problem> {
        if (beside.unprojected.empty()) return std::nullopt;
        return Problem{"kind", "value \"" + beside.unprojected + "\" has no output projection", "use value heads_proj"};
    };
}

/// Returns the problem if the adjuster stands in a feed-forward sublayer; nothing elsewhere. The message calls it `name`.
inline std::optional<Problem> needsProjection(const BlockContext& where, const std::string& name) {
    if (!where.sublayer || !isFeedForward(*where.sublayer)) return std::nullopt;
    return Problem{"kind", "a feed-forward sublayer has no heads and no output projection",
                   "put the " + name + " on an attention sublayer"};
}

}  // namespace heddle

#endif
