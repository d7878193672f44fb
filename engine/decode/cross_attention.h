// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/decode/decoding.h"
#include "engine/run/decoding.h"

#include <vector>

namespace heddle {

/// The cross-attention with which a translation was written, layer by layer: row i is the step that wrote token i (the last one
/// <eos>, if it came), column k token k of the source (the last one <eos>).
std::vector<AttentionMap> crossAttention(const Model& model, const Sentence& source, const Decoded& translation,
                                         const DecodeOptions& options);

}  // namespace heddle
