// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/decode/decoding.h"
#include "engine/run/decoding.h"

#include <vector>

namespace heddle {

/// Cross-attention weights of a translation, layer by layer: row i is the step that produced token i (last: <eos>, if
/// produced), column k is token k of the source (last: <eos>).
std::vector<AttentionMap> crossAttention(const Model& model, const Sentence& source, const Decoded& translation,
                                         const DecodeOptions& options);

}  // namespace heddle
