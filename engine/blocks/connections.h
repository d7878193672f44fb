// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"

#include <string>

namespace heddle {

// Taps of a sublayer that are no exposures: they are there to be replaced, and are not drawn.

/// "<sublayer>.mixing_weight": what an attention mixes its values by, [B,H,Q,K]: the weights after the selector and dropout.
/// What later layers read of this one is not changed with it.
inline constexpr const char* kMixingWeight = "mixing_weight";

// Connections that can be cut, by the path of the sublayer.

inline constexpr const char* kScoreCarry = "score_carry";          ///< scores of earlier layers, on their way to its score rule
inline constexpr const char* kSublayerOutput = "sublayer_output";  ///< what it made, on its way to its residual connection

/// Taps that also cut connections: a module at the end of one that is cut works as if nothing came along it.
class CuttingTaps {
public:
    virtual ~CuttingTaps() = default;
    virtual bool cuts(const std::string& module, const char* connection) const = 0;
};

inline bool isCut(const Forward& f, const std::string& module, const char* connection) {
    const auto* const taps = dynamic_cast<const CuttingTaps*>(f.taps);
    return taps && taps->cuts(module, connection);
}

}  // namespace heddle
