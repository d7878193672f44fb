// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"

#include <string_view>
#include <unordered_map>

namespace heddle {

/// Texts by id and ids by text. Specials have ids but cannot be found by their text: what only looks like one is unknown.
/// Immutable, thread-safe.
class Vocabulary {
public:
    Vocabulary(std::vector<std::string> specials, std::vector<std::string> entries);

    std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
    std::int32_t specials() const { return specials_; }
    std::int32_t idOf(std::string_view token) const;  ///< kUnk if there is none; of two equal entries the later one
    const std::string& token(std::int32_t id) const;  ///< throws Error(InvalidInput) where there is no such id
    std::vector<std::string> entries() const { return {tokens_.begin() + specials_, tokens_.end()}; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };

    std::int32_t specials_;
    std::vector<std::string> tokens_;
    std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> ids_;
};

/// specialTokens(), and "<mask>" behind them where there is one.
enum class Mask { Without, With };
std::vector<std::string> specialTokens(Mask mask);

/// Throws the error of an id that no vocabulary of this size has.
void checkTokenId(std::int32_t id, std::int64_t size);

/// Entries of at least `minCount`, by falling count, then by bytes. `none` is what the error says when there is none.
std::vector<std::string> frequentEntries(const std::unordered_map<std::string, std::int64_t>& counts, std::int64_t minCount,
                                         const std::string& none);

}  // namespace heddle
