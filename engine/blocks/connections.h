// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"

#include <string>

namespace heddle {

// Taps of a sublayer that interventions replace. They are not exposures, so nothing draws them.

/// "<sublayer>.mixing_weight": the weights [B,H,Q,K] that mix the values, after selector and dropout. Replacing them does not
/// change the scores that later layers read.
inline constexpr const char* kMixingWeight = "mixing_weight";
/// "<sublayer>.value.head_output": the mixed values [B,H,Q,E] of the heads, before they are joined and projected. Every block
/// of slot "value" passes them.
inline constexpr const char* kHeadOutput = "head_output";

/// "decoder.layers.3.layer_state", and "decoder.h0.layer_state" before the first layer: what the stack would give if it ended
/// there, [B,S,W]: several residual streams merged, the final norm applied. It is computed only where it is wanted; replacing
/// it changes nothing.
inline constexpr const char* kLayerState = "layer_state";
/// "<sublayer>.stream": the residual stream [B,S,D] after the sublayer, or the streams [B,S,N,D]. It is only shown: replacing
/// it changes nothing.
inline constexpr const char* kStream = "stream";

// Connections that can be cut, by the path of the sublayer.

inline constexpr const char* kScoreCarry = "score_carry";  ///< scores of earlier layers, on their way to its score rule
/// The sublayer's output [B,S,D] on its way to the residual connection; also a tap, "<sublayer>.sublayer_output".
inline constexpr const char* kSublayerOutput = "sublayer_output";

/// Taps that also cut connections: the module at the end of a cut connection receives nothing from it.
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
