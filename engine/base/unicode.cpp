// SPDX-License-Identifier: Apache-2.0
#include "engine/base/unicode.h"

#include "engine/base/error.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <limits>

namespace heddle {
namespace {

bool isAscii(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

/// Bytes of the code point that starts at `at` in well-formed UTF-8.
std::size_t codePointLength(std::string_view text, std::size_t at) {
    std::size_t length = 1;
    while (at + length < text.size() && U8_IS_TRAIL(text[at + length])) ++length;
    return length;
}

}  // namespace

std::string toLower(std::string_view text) {
    if (isAscii(text)) return lowerAscii(std::string(text));
    // No code point grows to more than three times its bytes when lower-cased; ICU counts in 32 bits.
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) / 3)
        throwInvalid("text is longer than 700 MB", "lower-casing", "split it into lines");
    std::string lower;
    icu::StringByteSink<std::string> sink(&lower, static_cast<std::int32_t>(text.size()));
    UErrorCode status = U_ZERO_ERROR;
    icu::CaseMap::utf8ToLower("", 0, {text.data(), static_cast<std::int32_t>(text.size())}, sink, nullptr, status);
    if (U_FAILURE(status))
        throw Error(ErrorCode::Failure, u_errorName(status), "lower-casing", "report this as a bug, with the text");
    return lower;
}

std::string lowerAscii(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return text;
}

// u_isspace() is Python's str.isspace(); u_isUWhiteSpace() lacks the separators U+001C to U+001F.
std::vector<std::string> splitUnicodeSpace(std::string_view text) {
    std::vector<std::string> words;
    std::size_t begin = 0, at = 0;
    while (at < text.size()) {
        const std::size_t length = codePointLength(text, at);
        if (u_isspace(codePointOf(text.substr(at, length)))) {
            if (at > begin) words.emplace_back(text.substr(begin, at - begin));
            begin = at + length;
        }
        at += length;
    }
    if (at > begin) words.emplace_back(text.substr(begin, at - begin));
    return words;
}

std::string_view trimRight(std::string_view text) {
    while (!text.empty()) {
        std::size_t last = text.size() - 1;
        while (last > 0 && U8_IS_TRAIL(text[last])) --last;
        if (!u_isspace(codePointOf(text.substr(last)))) break;
        text = text.substr(0, last);
    }
    return text;
}

std::vector<std::string> splitCodePoints(std::string_view text) {
    std::vector<std::string> points;
    for (std::size_t at = 0; at < text.size(); at += points.back().size())
        points.emplace_back(text.substr(at, codePointLength(text, at)));
    return points;
}

std::int32_t codePointOf(std::string_view bytes) {
    UChar32 c = 0;
    std::int32_t at = 0;
    U8_NEXT_OR_FFFD(bytes, at, static_cast<std::int32_t>(bytes.size()), c);
    return c;
}

void appendCodePoint(std::string& text, std::int32_t codePoint) {
    char bytes[U8_MAX_LENGTH];
    std::int32_t length = 0;
    U8_APPEND_UNSAFE(bytes, length, codePoint);
    text.append(bytes, static_cast<std::size_t>(length));
}

bool isAsciiPunctuation(std::int32_t c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

std::int64_t countCodePoints(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return !U8_IS_TRAIL(c); });
}

std::optional<std::size_t> findInvalidUtf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        UChar32 point = 0;
        U8_NEXT(text, at, text.size(), point);
        if (point < 0) return begin;
    }
    return std::nullopt;
}

}  // namespace heddle
