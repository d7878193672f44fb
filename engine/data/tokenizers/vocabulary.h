// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace heddle {

/// Maps texts to ids and back. Special tokens are not found by their text: text that looks like one is unknown. Immutable,
/// thread-safe.
class Vocabulary {
public:
    Vocabulary(std::vector<std::string> specials, std::vector<std::string> entries);

    std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
    std::int32_t specials() const { return specials_; }
    std::int32_t idOf(std::string_view token) const;  ///< kUnk if unknown; of equal entries the last
    const std::string& token(std::int32_t id) const;  ///< throws Error(InvalidInput) for an invalid id
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

/// kSpecialTokens, followed by "<mask>" with MaskToken::With.
enum class MaskToken { Without, With };
std::vector<std::string> specialTokens(MaskToken mask);

/// Throws Error(InvalidInput) for an id outside of a vocabulary of this size.
void checkTokenId(std::int32_t id, std::int64_t size);

using CountedEntry = std::pair<std::string, std::int64_t>;

/// Entries that occur at least `minCount` times, by descending count, then by bytes.
std::vector<CountedEntry> byFrequency(const std::unordered_map<std::string, std::int64_t>& counts, std::int64_t minCount);

/// The same without their counts. `none`: message of the Error(InvalidInput) if there are none.
std::vector<std::string> frequentEntries(const std::unordered_map<std::string, std::int64_t>& counts, std::int64_t minCount,
                                         const std::string& none);

}  // namespace heddle
