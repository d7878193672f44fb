// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/vocabulary.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace heddle {

Vocabulary::Vocabulary(std::vector<std::string> specials, std::vector<std::string> entries)
    : specials_(static_cast<std::int32_t>(specials.size())), tokens_(std::move(specials)) {
    tokens_.insert(tokens_.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
    ids_.reserve(tokens_.size());
    for (std::size_t id = static_cast<std::size_t>(specials_); id < tokens_.size(); ++id)
        ids_[tokens_[id]] = static_cast<std::int32_t>(id);
}

std::int32_t Vocabulary::idOf(std::string_view token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? kUnk : found->second;
}

const std::string& Vocabulary::token(std::int32_t id) const {
    checkTokenId(id, size());
    return tokens_[static_cast<std::size_t>(id)];
}

std::vector<std::string> specialTokens(MaskToken mask) {
    std::vector<std::string> tokens(kSpecialTokens.begin(), kSpecialTokens.end());
    if (mask == MaskToken::With) tokens.emplace_back(kMaskToken);
    return tokens;
}

void checkTokenId(std::int32_t id, std::int64_t size) {
    if (id < 0 || id >= size)
        throwInvalid(fmt::format("token id {} is out of range", id), "vocabulary", fmt::format("ids must be below {}", size));
}

std::vector<CountedEntry> byFrequency(const std::unordered_map<std::string, std::int64_t>& counts, std::int64_t minCount) {
    std::vector<CountedEntry> kept;
    for (const auto& entry : counts)
        if (entry.second >= minCount) kept.emplace_back(entry);
    std::sort(kept.begin(), kept.end(), [](const CountedEntry& a, const CountedEntry& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return kept;
}

std::vector<std::string> frequentEntries(const std::unordered_map<std::string, std::int64_t>& counts, std::int64_t minCount,
                                         const std::string& none) {
    std::vector<std::string> entries;
    for (CountedEntry& entry : byFrequency(counts, minCount)) entries.push_back(std::move(entry.first));
    if (entries.empty()) throwInvalid(none, "data.tokenizer.min_count", "lower it, or train on more text");
    return entries;
}

}  // namespace heddle
