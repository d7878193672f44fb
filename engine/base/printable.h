// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Text from files and databases may hold characters that control a terminal or reorder the display. Only this file decides
/// which characters are escaped, and how.

/// One character at the beginning of a text.
struct PrintedCharacter {
    std::size_t bytes = 1;  ///< its length in the text
    std::string escape;     ///< printed in its place; empty: print the bytes
};

/// The first character of a text that is not empty. C0 controls and bytes that are not UTF-8 are printed as \xNN; DEL, C1
/// controls, line separators and bidirectional controls as \uNNNN, which is their escape in JSON too.
PrintedCharacter firstCharacter(std::string_view text);

/// Number of bytes at the end of the text that begin an incomplete UTF-8 character: 0 to 3.
std::size_t cutCharacter(std::string_view text);

/// The text on one line, escaped as by firstCharacter().
std::string printable(std::string_view text);

/// The same for at most `characters` characters, with "…" when something was cut.
std::string printableExcerpt(std::string_view text, std::size_t characters);

/// "a, b, c", with "and 5 more" after the first eight.
std::string listedNames(const std::vector<std::string>& names);

/// Groups the digits of a whole number, with or without a sign, by three: "-1,234,567". fmt takes the separator from a locale.
std::string groupedDigits(std::string digits);

/// "1,234,567".
std::string countText(std::int64_t count);

}  // namespace heddle
