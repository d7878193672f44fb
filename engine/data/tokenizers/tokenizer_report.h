// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"
#include "engine/run/tokenizer_report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Counts the tokens of a text during encoding.
class TokenCounter {
public:
    TokenCounter(const Tokenizer& tokenizer, std::string text);
    void add(const std::vector<std::int32_t>& ids);
    const TokenCounts& counts() const { return counts_; }

private:
    TokenCounts counts_;
    std::int32_t specials_;
    std::vector<bool> seen_;
};

/// A report without texts.
TokenizerReport reportOf(const Tokenizer& tokenizer, const std::string& side);

}  // namespace heddle
