// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/tokenizers/json/step.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// A token of "added_tokens" that is found in the text before the model sees it.
struct AddedToken {
    std::int32_t id = 0;
    std::string content;
    bool isSpecial = false, stripsLeft = false, stripsRight = false;
};

/// Text, or a token that was found in it.
struct FoundToken {
    std::int32_t id = 0;
    CharacterRange place;
};
using TextOrToken = std::variant<OriginText, FoundToken>;

/// Finds tokens in a text: from the left, of those that begin at one place the longest.
class TokenFinder {
public:
    void add(const std::u32string& text, const AddedToken& token);
    std::vector<TextOrToken> split(const OriginText& text) const;

private:
    struct Entry {
        std::u32string text;
        AddedToken token;
    };
    const Entry* findAt(std::u32string_view text, std::size_t at) const;

    std::map<char32_t, std::vector<Entry>> byFirst_;  ///< the longest first
};

/// Throws Error(InvalidInput) for a token with single_word, and for one without id or content.
AddedToken readAddedToken(const Json& document, const std::string& where);

}  // namespace heddle
