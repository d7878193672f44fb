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

/// Nothing for a text that is no such key.
std::optional<LayerPattern> layerPattern(const std::string& text);

/// Key and value of the members of `layers` that hold for this layer; that of the layer alone is the last, so that it may
/// change what the others say.
std::vector<std::pair<std::string, Json>> exceptionsOf(const Json& layers, std::int64_t layer);

}  // namespace heddle
