// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/tokenizer_report.h"

namespace heddle {

TokenCounter::TokenCounter(const Tokenizer& tokenizer, std::string text)
    : specials_(tokenizer.specials()), seen_(static_cast<std::size_t>(tokenizer.size())) {
    counts_.text = std::move(text);
}

void TokenCounter::add(const std::vector<std::int32_t>& ids) {
    ++counts_.lines;
    counts_.tokens += static_cast<std::int64_t>(ids.size());
    for (const std::int32_t id : ids) {
        counts_.unknown += id == kUnk ? 1 : 0;
        const auto entry = static_cast<std::size_t>(id);
        if (id < specials_ || seen_[entry]) continue;
        seen_[entry] = true;
        ++counts_.used;
    }
}

TokenizerReport reportOf(const Tokenizer& tokenizer, const std::string& side) {
    return {side, wordOf(tokenizer.spec().kind), tokenizer.size(), {}};
}

}  // namespace heddle
