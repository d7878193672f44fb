// SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

unsigned char byteAt(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// Bytes of the character that begins with this byte; 0: no character does.
std::size_t lengthFrom(unsigned char lead) {
    return lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

/// Whether `second` may follow `lead` (Unicode table 3-7: no overlong forms, surrogates, or values above U+10FFFF).
bool mayFollow(unsigned char lead, unsigned char second) {
    const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= least && second <= most;
}

/// Number of leading bytes that form a valid prefix of the character that the first byte announces.
std::size_t matchingBytes(std::string_view text, std::size_t length) {
    std::size_t n = 1;
    while (n < length && n < text.size() &&
           (n == 1 ? mayFollow(byteAt(text, 0), byteAt(text, 1)) : (byteAt(text, n) & 0xC0) == 0x80))
        ++n;
    return n;
}

bool reordersOrBreaks(char32_t point) {
    const bool isMark = point == 0x061C || point == 0x200E || point == 0x200F;
    return isMark || (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

PrintedCharacter firstCharacter(std::string_view text) {
    const unsigned char lead = byteAt(text, 0);
    if (lead < 0x20) return {1, fmt::format("\\x{:02X}", lead)};
    if (lead < 0x7F) return {1, {}};
    const std::size_t length = lengthFrom(lead);
    if (length == 0 || matchingBytes(text, length) < length) return {1, fmt::format("\\x{:02X}", lead)};
    char32_t point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) point = (point << 6) | (byteAt(text, i) & 0x3Fu);
    if (point < 0xA0 || reordersOrBreaks(point)) return {length, fmt::format("\\u{:04x}", static_cast<unsigned>(point))};
    return {length, {}};
}

std::size_t cutCharacter(std::string_view text) {
    for (std::size_t n = 1; n <= std::min<std::size_t>(3, text.size()); ++n) {
        const std::string_view end = text.substr(text.size() - n);
        const std::size_t length = lengthFrom(byteAt(end, 0));
        if (length > n && matchingBytes(end, length) == n) return n;
    }
    return 0;
}

std::string printable(std::string_view text) { return printableExcerpt(text, text.size()); }

std::string printableExcerpt(std::string_view text, std::size_t characters) {
    std::string shown;
    for (std::size_t seen = 0; !text.empty(); ++seen) {
        if (seen == characters) return shown + "…";
        const PrintedCharacter next = firstCharacter(text);
        shown += next.escape.empty() ? text.substr(0, next.bytes) : std::string_view(next.escape);
        text.remove_prefix(next.bytes);
    }
    return shown;
}

}  // namespace heddle
