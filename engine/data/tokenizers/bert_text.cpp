// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/bert_text.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace heddle {
namespace {

/// Calls `visit(codePoint)` for each code point; malformed bytes give U+FFFD.
template <typename Visit>
void forEachCodePoint(std::string_view text, Visit&& visit) {
    const auto length = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = 0; at < length;) {
        UChar32 c = 0;
        U8_NEXT_OR_FFFD(text, at, length, c);
        visit(c);
    }
}

bool isWhiteSpace(UChar32 c) {
    if (c == '\t' || c == '\n' || c == '\r' || c == ' ') return true;
    return c >= 0x80 && (U_GET_GC_MASK(c) & U_GC_Z_MASK) != 0;
}

/// Category C: control, format, private use, unassigned.
bool isControl(UChar32 c) {
    if (c < 0x80) return c < 0x20 || c == 0x7F;
    return (U_GET_GC_MASK(c) & U_GC_C_MASK) != 0;
}

/// Includes ASCII symbols such as $ and ^, which Unicode does not class as punctuation.
bool isPunctuation(UChar32 c) {
    if (c < 0x80) return isAsciiPunctuation(c);
    return (U_GET_GC_MASK(c) & U_GC_P_MASK) != 0;
}

/// Where the characters of a text come from; kept on demand.
using Origins = std::vector<CharacterRange>;

std::string cleaned(std::string_view text, Casing casing, Origins* origins) {
    std::string clean;
    clean.reserve(text.size() + text.size() / 8);
    std::int32_t at = 0;
    const auto add = [&](UChar32 c) {
        appendCodePoint(clean, c);
        if (origins != nullptr) origins->push_back({at, at + 1});
    };
    forEachCodePoint(text, [&](UChar32 c) {
        if (isWhiteSpace(c)) {
            add(' ');
        } else if (isIdeograph(c)) {
            add(' ');
            add(c);
            add(' ');
        } else if (c != 0xFFFD && !isControl(c)) {
            add(casing == Casing::Lower ? u_tolower(c) : c);  // no final sigma: one character at a time
        }
        ++at;
    });
    return clean;
}

void requireSuccess(UErrorCode status) {
    if (U_FAILURE(status))
        throw Error(ErrorCode::Failure, u_errorName(status), "Unicode normalisation", "check the ICU installation");
}

const icu::Normalizer2& formFor(Casing casing) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* form =
        casing == Casing::Lower ? icu::Normalizer2::getNFDInstance(status) : icu::Normalizer2::getNFCInstance(status);
    requireSuccess(status);
    return *form;
}

std::string normalized(const std::string& text, const icu::Normalizer2& form) {
    UErrorCode status = U_ZERO_ERROR;
    std::string result;
    icu::StringByteSink<std::string> sink(&result);
    form.normalizeUTF8(0, text, sink, nullptr, status);
    requireSuccess(status);
    return result;
}

/// The same, part by part between the places that normalisation never crosses; the characters of a part come from all of it.
std::string normalizedInParts(const std::string& text, const icu::Normalizer2& form, Origins& origins) {
    std::string result, part;
    Origins after;
    CharacterRange range;
    const auto close = [&] {
        const std::string normal = normalized(part, form);
        after.insert(after.end(), static_cast<std::size_t>(countCodePoints(normal)), range);
        result += normal;
        part.clear();
    };
    std::size_t at = 0;
    forEachCodePoint(text, [&](UChar32 c) {
        const CharacterRange& origin = origins[at++];
        if (!part.empty() && form.hasBoundaryBefore(c) != 0) close();
        if (part.empty()) range = origin;
        range.end = origin.end;
        appendCodePoint(part, c);
    });
    close();
    origins = std::move(after);
    return result;
}

bool isAscii(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0x80) return false;
    return true;
}

}  // namespace

bool isIdeograph(std::int32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
           (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B820 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

namespace {

/// The words, and of each the origins of its characters if `places` is given.
std::vector<std::string> splitBertWords(std::string_view text, Casing casing, std::vector<Origins>* places) {
    Origins origins;
    std::string clean = cleaned(text, casing, places != nullptr ? &origins : nullptr);
    if (!isAscii(clean))
        clean = places != nullptr ? normalizedInParts(clean, formFor(casing), origins) : normalized(clean, formFor(casing));
    std::vector<std::string> words;
    std::string word;
    Origins ofWord;
    const auto flush = [&] {
        if (!word.empty()) words.push_back(std::move(word));
        if (places != nullptr && !ofWord.empty()) places->push_back(std::move(ofWord));
        word.clear();
        ofWord.clear();
    };
    std::size_t at = 0;
    forEachCodePoint(clean, [&](UChar32 c) {
        const std::size_t here = at++;
        if (casing == Casing::Lower && c >= 0x80 && u_charType(c) == U_NON_SPACING_MARK) return;
        const bool punctuation = isPunctuation(c);
        if (c == ' ' || punctuation) flush();
        if (c == ' ') return;
        appendCodePoint(word, c);
        if (places != nullptr) ofWord.push_back(origins[here]);
        if (punctuation) flush();
    });
    flush();
    return words;
}

}  // namespace

std::vector<std::string> bertWords(std::string_view text, Casing casing) { return splitBertWords(text, casing, nullptr); }

std::vector<PlacedWord> placedBertWords(std::string_view text, Casing casing) {
    std::vector<Origins> places;
    std::vector<std::string> words = splitBertWords(text, casing, &places);
    std::vector<PlacedWord> placed;
    for (std::size_t i = 0; i < words.size(); ++i) placed.push_back({std::move(words[i]), std::move(places[i])});
    return placed;
}

}  // namespace heddle
