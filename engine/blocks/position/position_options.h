// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// Options of position blocks that add a term to the stream.
struct PositionOptions {
    PositionWhere where{};
};

inline const OptionFields<PositionOptions>& positionOptions() {
    static const auto kFields = OptionFields<PositionOptions>().add(
        &PositionOptions::where,
        fields::choice<PositionWhere>("where",
                                      "Whether the position encoding is added once, to the input, or before every layer."));
    return kFields;
}

}  // namespace heddle
