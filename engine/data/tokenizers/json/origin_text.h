// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/bert_text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Text as code points, each with the characters of the given line that it stems from.
struct OriginText {
    std::u32string characters;
    std::vector<CharacterRange> origins;  ///< as many
    std::int32_t begin = 0;               ///< where the part of the line begins that became this text

    bool empty() const { return characters.empty(); }
    std::size_t size() const { return characters.size(); }
    void add(char32_t character, CharacterRange origin) {
        characters.push_back(character);
        origins.push_back(origin);
    }
    /// Adds all of `text` with one origin.
    void add(std::u32string_view text, CharacterRange origin) {
        for (const char32_t character : text) add(character, origin);
    }
    /// The characters from `first` to `end`, which is excluded.
    OriginText part(std::size_t first, std::size_t end) const;
    /// The characters of the line that those from `first` to `end` stem from; `end` is above `first`.
    CharacterRange origin(std::size_t first, std::size_t end) const;
};

/// UTF-8 as code points; malformed bytes give U+FFFD.
OriginText originText(std::string_view line);
std::u32string codePoints(std::string_view text);
std::string utf8(std::u32string_view text);

/// White_Space of the Unicode character database, as \s of the regular expressions of `tokenizers`.
bool isUnicodeSpace(char32_t c);

/// The category of a character as a mask of U_GC_…_MASK.
std::uint32_t categoryOf(char32_t c);
/// The category where Unicode 8 has the character, else 0: the Unicode that `tokenizers` asks for BERT.
std::uint32_t categoryInUnicode8(char32_t c);

}  // namespace heddle
