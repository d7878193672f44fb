// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The layers that a key of `encoder.layers` names: "3" is one layer, "0::3" are the layers 0, 3, 6, … as in Python's slices.
struct LayerPattern {
    std::int64_t first = 0;
    std::int64_t step = 0;  ///< 0: one layer

    bool holds(std::int64_t layer) const;
};

/// Returns the layers that the key names; nothing if the text is no such key.
std::optional<LayerPattern> layerPattern(const std::string& text);

/// Returns key and value of each member of `layers` whose key names this layer. The key of this layer alone comes last, so that
/// it overrides the patterns.
std::vector<std::pair<std::string, Json>> exceptionsOf(const Json& layers, std::int64_t layer);

}  // namespace heddle
