// SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.h"

#include <fmt/format.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace heddle {
namespace {

bool reordersOrBreaks(UChar32 point) {
    const bool isMark = point == 0x061C || point == 0x200E || point == 0x200F;
    return isMark || (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

PrintedCharacter firstCharacter(std::string_view text) {
    std::size_t bytes = 0;
    UChar32 point = 0;  // negative where the bytes are not UTF-8
    U8_NEXT(text, bytes, text.size(), point);
    if (point < 0x20) return {1, fmt::format("\\x{:02X}", static_cast<unsigned char>(text[0]))};
    if (point < 0x7F) return {1, {}};
    if (point < 0xA0 || reordersOrBreaks(point)) return {bytes, fmt::format("\\u{:04x}", static_cast<unsigned>(point))};
    return {bytes, {}};
}

std::size_t cutCharacter(std::string_view text) {
    auto whole = static_cast<std::ptrdiff_t>(text.size());
    U8_TRUNCATE_IF_INCOMPLETE(text, 0, whole);
    return text.size() - static_cast<std::size_t>(whole);
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

std::string listedNames(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
    return text;
}

std::string groupedDigits(std::string digits) {
    const std::size_t first = digits.starts_with('-') ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

std::string countText(std::int64_t count) { return groupedDigits(std::to_string(count)); }

}  // namespace heddle
