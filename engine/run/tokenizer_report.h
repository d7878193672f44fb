// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// What encoding a text with a tokenizer came to.
struct TokenCounts {
    std::string text;  ///< "train"
    std::int64_t lines = 0, tokens = 0;
    std::int64_t unknown = 0;  ///< tokens that are <unk>
    std::int64_t used = 0;     ///< entries of the vocabulary, specials apart, that occur
    double unknownRate() const { return tokens > 0 ? static_cast<double>(unknown) / static_cast<double>(tokens) : 0; }
};

/// A tokenizer and the texts that it encoded. `side` is "source" or "target", or empty where there is one side.
struct TokenizerReport {
    std::string side, kind;
    std::int64_t size = 0;
    std::vector<TokenCounts> texts;

    /// "source vocabulary: words, 5,972 entries; train: 377,534 tokens, 98.90 % known, 1.10 % unknown; …"
    std::string line() const;
    /// {"side","kind","size","texts":[{"text","lines","tokens","unknown","unknown_rate","coverage","used"}]}; coverage is the
    /// share of tokens that are known.
    Json json() const;
};

/// From what json() gave.
TokenizerReport reportFromJson(const Json& json);

}  // namespace heddle
