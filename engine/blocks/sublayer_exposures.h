// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/block_descriptor.h"

#include <string>
#include <vector>

namespace heddle {

/// The tap "<sublayer path>.weight" of every attention: its weights after the softmax, before dropout.
inline constexpr const char* kAttentionWeight = "weight";

/// What a sublayer ("self", "cross", "ffn") shows itself, beside the exposures of its blocks.
inline std::vector<Exposure> sublayerExposures(const std::string& sublayer) {
    if (sublayer == "ffn") return {};
    return {{kAttentionWeight, "attention weight", Exposure::Quantity::Weight, "BHQK", 0, 1, false, true, true}};
}

}  // namespace heddle
