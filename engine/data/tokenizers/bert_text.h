// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Pre-tokenization of BERT (Devlin et al. 2019), as in Hugging Face's BasicTokenizer: drops control characters and U+FFFD,
/// makes every ideograph and every punctuation character a word, and splits at white space. Lower: lower-cases each character,
/// decomposes (NFD) and drops non-spacing marks. Keep: composes (NFC; BERT's first code and the fast tokenizer do not). UTF-8;
/// thread-safe.
enum class Casing { Keep, Lower };
std::vector<std::string> bertWords(std::string_view text, Casing casing);

/// The characters (code points) of the text that a character of a word stems from, the end excluded.
struct CharacterRange {
    std::int32_t begin = 0, end = 0;
};
/// A word of bertWords(), and where each of its characters comes from.
struct PlacedWord {
    std::string text;
    std::vector<CharacterRange> characters;
};
std::vector<PlacedWord> placedBertWords(std::string_view text, Casing casing);

/// The ideographs of `_is_chinese_char`: CJK Unified Ideographs with extensions A–E, and the compatibility ideographs.
bool isIdeograph(std::int32_t codePoint);

}  // namespace heddle
