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

std::string cleaned(std::string_view text, Casing casing) {
    std::string clean;
    clean.reserve(text.size() + text.size() / 8);
    forEachCodePoint(text, [&](UChar32 c) {
        if (isWhiteSpace(c)) {
            clean.push_back(' ');
        } else if (isIdeograph(c)) {
            clean.push_back(' ');
            appendCodePoint(clean, c);
            clean.push_back(' ');
        } else if (c != 0xFFFD && !isControl(c)) {
            appendCodePoint(clean, casing == Casing::Lower ? u_tolower(c) : c);  // no final sigma: one character at a time
        }
    });
    return clean;
}

std::string normalized(const std::string& text, Casing casing) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* form =
        casing == Casing::Lower ? icu::Normalizer2::getNFDInstance(status) : icu::Normalizer2::getNFCInstance(status);
    std::string result;
    if (U_SUCCESS(status)) {
        icu::StringByteSink<std::string> sink(&result);
        form->normalizeUTF8(0, text, sink, nullptr, status);
    }
    if (U_FAILURE(status))
        throw Error(ErrorCode::Failure, u_errorName(status), "Unicode normalisation", "check the ICU installation");
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

std::vector<std::string> bertWords(std::string_view text, Casing casing) {
    std::string clean = cleaned(text, casing);
    if (!isAscii(clean)) clean = normalized(clean, casing);
    std::vector<std::string> words;
    std::string word;
    const auto flush = [&] {
        if (!word.empty()) words.push_back(std::move(word));
        word.clear();
    };
    forEachCodePoint(clean, [&](UChar32 c) {
        if (casing == Casing::Lower && c >= 0x80 && u_charType(c) == U_NON_SPACING_MARK) return;
        const bool punctuation = isPunctuation(c);
        if (c == ' ' || punctuation) flush();
        if (c == ' ') return;
        appendCodePoint(word, c);
        if (punctuation) flush();
    });
    flush();
    return words;
}

}  // namespace heddle
