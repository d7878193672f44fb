// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/block_descriptor.h"

#include <string>
#include <vector>

namespace heddle {

/// The tap "<sublayer path>.weight" of every attention: the weights after softmax and before dropout.
inline constexpr const char* kAttentionWeight = "weight";

/// Exposures of a sublayer ("self", "cross", "ffn") besides those of its blocks.
inline std::vector<Exposure> sublayerExposures(const std::string& sublayer) {
    if (sublayer == "ffn") return {};
    return {{kAttentionWeight, "attention weight", Exposure::Quantity::Weight, "BHQK", 0, 1, false, true, true}};
}

}  // namespace heddle
