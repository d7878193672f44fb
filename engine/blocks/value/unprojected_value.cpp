// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/value/unprojected_value.h"

namespace heddle {

#ifndef HEDDLE_MODULES

std::optional<Problem> headsFillTheWidth(const BlockContext& where) {
    const auto& [d, heads, width] = std::tuple(where.dims.d, where.dims.heads, where.dims.valueDim);
    if (heads * width == d) return std::nullopt;
    return Problem{"",
                   "without an output projection the concatenated heads must have width d: " + std::to_string(heads) + " · " +
                       std::to_string(width) + " is not d = " + std::to_string(d),
                   d % heads == 0 ? "set dims.value_dim to " + std::to_string(d / heads) + ", or use heads_proj"
                                  : "choose a number of heads that divides d, or use heads_proj"};
}

#endif

}  // namespace heddle
