// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"
#include "engine/decode/decoding.h"
#include "engine/run/decoding.h"

#include <string>
#include <vector>

namespace heddle {

/// Both sides' tokenizers.
struct TokenizerPair {
    const Tokenizer& source;
    const Tokenizer& target;
};

/// Translates lines; in order. An empty line gives an empty translation. `request.search` stands before that of `options`.
/// Throws Error(InvalidInput) naming the first line that is longer than the model takes.
std::vector<DecodedLine> translateLines(const Model& model, const TokenizerPair& tokenizers, const DecodeRequest& request,
                                        const DecodeOptions& options);

/// Continues lines with a decoder that stands alone; a text begins with its line.
std::vector<DecodedLine> continueLines(const Model& model, const Tokenizer& tokenizer, const DecodeRequest& request,
                                       const DecodeOptions& options);

}  // namespace heddle
