// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/json/origin_text.h"

#include "engine/base/unicode.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace heddle {

OriginText OriginText::part(std::size_t first, std::size_t end) const {
    const auto from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(end);
    return {characters.substr(first, end - first),
            {origins.begin() + from, origins.begin() + to},
            first == 0 || first == size() ? begin : origins[first].begin};
}

CharacterRange OriginText::origin(std::size_t first, std::size_t end) const {
    CharacterRange all = origins[first];
    for (std::size_t at = first + 1; at < end; ++at)
        all = {std::min(all.begin, origins[at].begin), std::max(all.end, origins[at].end)};
    return all;
}

std::u32string codePoints(std::string_view text) {
    std::u32string points;
    points.reserve(text.size());
    const auto length = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = 0; at < length;) {
        UChar32 c = 0;
        U8_NEXT_OR_FFFD(text, at, length, c);
        points.push_back(static_cast<char32_t>(c));
    }
    return points;
}

OriginText originText(std::string_view line) {
    OriginText text{codePoints(line), {}, 0};
    text.origins.reserve(text.size());
    for (std::int32_t at = 0; at < static_cast<std::int32_t>(text.size()); ++at) text.origins.push_back({at, at + 1});
    return text;
}

std::string utf8(std::u32string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (const char32_t c : text) appendCodePoint(bytes, static_cast<std::int32_t>(c));
    return bytes;
}

std::uint32_t categoryOf(char32_t c) { return U_GET_GC_MASK(static_cast<UChar32>(c)); }

std::uint32_t categoryInUnicode8(char32_t c) {
    UVersionInfo age{};
    u_charAge(static_cast<UChar32>(c), age);
    return age[0] > 8 ? 0U : categoryOf(c);
}

bool isUnicodeSpace(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0; }

}  // namespace heddle
