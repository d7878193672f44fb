// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// Options of position blocks that add a term to the stream.
struct PositionOptions {
    std::string where;
};

inline const OptionFields<PositionOptions>& positionOptions() {
    static const auto kFields = OptionFields<PositionOptions>().add(
        &PositionOptions::where,
        fields::choice("where", {"input", "every_layer"},
                       "Whether the position encoding is added once, to the input, or before every layer."));
    return kFields;
}

#ifdef HEDDLE_MODULES
inline Position::Where positionWhere(const PositionOptions& o) {
    return o.where == "every_layer" ? Position::Where::EveryLayer : Position::Where::Input;
}
#endif

}  // namespace heddle
