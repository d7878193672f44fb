// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

/// A token and the characters (code points) of the text that it stands for, the end excluded.
struct PlacedToken {
    std::int32_t id = 0, begin = 0, end = 0;
};

/// What knows where its tokens are: every tokenizer made here.
class PlacingTokenizer : public Tokenizer {
public:
    /// The tokens of encode() with their places, ascending. Text that a token does not stand for (white space between words,
    /// control characters) lies between the places.
    virtual std::vector<PlacedToken> places(const std::string& line) const = 0;
};

/// PlacingTokenizer::places() of any tokenizer.
std::vector<PlacedToken> placesOf(const Tokenizer& tokenizer, const std::string& line);

/// Text in a form of which every character stems from one of the original text.
class TracedText {
public:
    /// The text, lower-cased if `lower` as toLower() does it.
    TracedText(const std::string& text, bool lower);

    const std::vector<std::string>& characters() const { return characters_; }
    /// The number of the original character that this one stems from; of the end: the number of characters.
    std::int32_t originOf(std::size_t at) const { return origins_[at]; }
    /// The original character of the one that begins at this byte of the joined characters.
    std::int32_t originOfByte(std::size_t byte) const;

private:
    std::vector<std::string> characters_;
    std::vector<std::int32_t> origins_;    // of each character, and of the end
    std::vector<std::size_t> byteBegins_;  // of each character, and the end
};

/// Finds entries (words, characters, a space for white space between words) in a text one after the other; the numbers of their
/// first and last (excluded) traced characters. An entry that a tokenizer has rewritten ("&" for "&amp;") is found in its
/// written form.
std::vector<std::pair<std::size_t, std::size_t>> findEntries(const TracedText& text, const std::vector<std::string>& entries);

}  // namespace heddle
