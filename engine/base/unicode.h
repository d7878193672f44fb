// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Text functions shared by metrics and data. Input is UTF-8; all functions are pure and thread-safe.

/// Full Unicode lower-casing without a language (final sigma, İ → i̇), as Python's str.lower().
std::string toLower(std::string_view text);

/// Returns the text with A … Z in lower case. All other bytes stay. std::tolower() would depend on the locale.
std::string lowerAscii(std::string text);

/// Splits at Unicode white space, dropping empty parts, as Python's str.split().
std::vector<std::string> splitUnicodeSpace(std::string_view text);

/// Removes Unicode white space at the end, as Python's str.rstrip().
std::string_view trimRight(std::string_view text);

/// The code points of a text, each as its UTF-8 bytes.
std::vector<std::string> splitCodePoints(std::string_view text);

/// The first code point of the bytes; U+FFFD where they are not well-formed UTF-8.
std::int32_t codePointOf(std::string_view bytes);

/// Appends a code point (no surrogate) as UTF-8.
void appendCodePoint(std::string& text, std::int32_t codePoint);

/// Python's string.punctuation, symbols such as $ and ^ included.
bool isAsciiPunctuation(std::int32_t c);

/// Number of code points.
std::int64_t countCodePoints(std::string_view text);

/// Offset of the first byte that is not well-formed UTF-8 (Unicode table 3-7: no overlong forms, surrogates, or values above
/// U+10FFFF; a cut sequence counts at its first byte), or nothing.
std::optional<std::size_t> findInvalidUtf8(std::string_view text);

}  // namespace heddle
