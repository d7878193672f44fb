// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"
#include "engine/decode/decoding.h"
#include "engine/run/decoding.h"

#include <string>
#include <vector>

namespace heddle {

/// The tokenizers of both sides.
struct TokenizerPair {
    const Tokenizer& source;
    const Tokenizer& target;
};

/// Translates the lines, in order. An empty line gives an empty translation. `request.search` overrides that of `options`.
/// Throws Error(InvalidInput) naming the first line that is too long for the model.
std::vector<DecodedLine> translateLines(const Model& model, const TokenizerPair& tokenizers, const DecodeRequest& request,
                                        const DecodeOptions& options);

/// Continues the lines with a decoder-only model; each result begins with its line.
std::vector<DecodedLine> continueLines(const Model& model, const Tokenizer& tokenizer, const DecodeRequest& request,
                                       const DecodeOptions& options);

}  // namespace heddle
