// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Token statistics of an encoded text.
struct TokenCounts {
    std::string text;  ///< "train"
    std::int64_t lines = 0, tokens = 0;
    std::int64_t unknown = 0;  ///< tokens that are <unk>
    std::int64_t used = 0;     ///< vocabulary entries that occur, without special tokens
    double unknownRate() const { return tokens > 0 ? static_cast<double>(unknown) / static_cast<double>(tokens) : 0; }
};

/// A tokenizer and statistics of the texts it encoded. `side` is "source", "target", or empty for tasks with one side.
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

/// The inverse of json().
TokenizerReport reportFromJson(const Json& json);

}  // namespace heddle
