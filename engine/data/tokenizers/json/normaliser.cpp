// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/data/tokenizers/json/step.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <utility>

namespace heddle {
namespace {

UChar32 point(char32_t c) { return static_cast<UChar32>(c); }

/// Keeps the characters for which `kept` holds.
template <typename Kept>
OriginText filtered(const OriginText& text, Kept&& kept) {
    OriginText result;
    for (std::size_t at = 0; at < text.size(); ++at)
        if (kept(text.characters[at])) result.add(text.characters[at], text.origins[at]);
    return result;
}

/// Lower-cases each character by itself, as Rust's char::to_lowercase(): no final sigma.
OriginText lowered(const OriginText& text) {
    OriginText result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char32_t c = text.characters[at];
        if (c < 0x80) {
            result.add(c >= 'A' && c <= 'Z' ? c + 32 : c, text.origins[at]);
            continue;
        }
        if (c == 0x130) {  // the only character whose lower case is two
            result.add(U"i\u0307", text.origins[at]);
            continue;
        }
        result.add(static_cast<char32_t>(u_tolower(point(c))), text.origins[at]);
    }
    return result;
}

const icu::Normalizer2& unicodeForm(const std::string& name) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* form = name == "NFC"    ? icu::Normalizer2::getNFCInstance(status)
                                   : name == "NFD"  ? icu::Normalizer2::getNFDInstance(status)
                                   : name == "NFKC" ? icu::Normalizer2::getNFKCInstance(status)
                                                    : icu::Normalizer2::getNFKDInstance(status);
    if (U_FAILURE(status))
        throw Error(ErrorCode::Failure, u_errorName(status), "Unicode normalisation", "check the ICU installation");
    return *form;
}

/// Part by part between the places that normalisation never crosses; the characters of a part come from all of it.
OriginText inForm(const OriginText& text, const icu::Normalizer2& form) {
    OriginText result;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        icu::UnicodeString part(point(text.characters[begin]));
        for (end = begin + 1; end < text.size() && form.hasBoundaryBefore(point(text.characters[end])) == 0; ++end)
            part.append(point(text.characters[end]));
        UErrorCode status = U_ZERO_ERROR;
        const icu::UnicodeString normal = form.normalize(part, status);
        if (U_FAILURE(status))
            throw Error(ErrorCode::Failure, u_errorName(status), "Unicode normalisation", "check the ICU installation");
        for (std::int32_t at = 0; at < normal.length(); at = normal.moveIndex32(at, 1))
            result.add(static_cast<char32_t>(normal.char32At(at)), text.origin(begin, end));
    }
    return result;
}

bool isControlOfBert(char32_t c) {
    if (c == '\t' || c == '\n' || c == '\r') return false;
    return (categoryInUnicode8(c) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK | U_GC_CS_MASK)) != 0;
}

/// The ideographs of `tokenizers`: U+2B820 … U+2B91F are missing there.
bool isIdeographOfBert(char32_t c) { return isIdeograph(point(c)) && !(c >= 0x2B820 && c <= 0x2B91F); }

struct BertOptions {
    bool clean = true, ideographs = true, stripAccents = true, lower = true;
};

/// BERT's normaliser (Devlin et al. 2019) as `tokenizers` has it.
OriginText bertNormal(OriginText text, const BertOptions& options) {
    if (options.clean) {
        text = filtered(text, [](char32_t c) { return c != 0 && c != 0xFFFD && !isControlOfBert(c); });
        for (char32_t& c : text.characters)
            if (isUnicodeSpace(c)) c = ' ';
    }
    if (options.ideographs) {
        OriginText spaced;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const bool alone = isIdeographOfBert(text.characters[at]);
            if (alone) spaced.add(' ', text.origins[at]);
            spaced.add(text.characters[at], text.origins[at]);
            if (alone) spaced.add(' ', text.origins[at]);
        }
        text = std::move(spaced);
    }
    if (options.stripAccents)
        text =
            filtered(inForm(text, unicodeForm("NFD")), [](char32_t c) { return (categoryInUnicode8(c) & U_GC_MN_MASK) == 0; });
    return options.lower ? lowered(text) : text;
}

Normalise readBert(const Json& document) {
    BertOptions options;
    options.clean = document.value("clean_text", true);
    options.ideographs = document.value("handle_chinese_chars", true);
    options.lower = document.value("lowercase", true);
    const Json accents = document.value("strip_accents", Json());
    options.stripAccents = accents.is_null() ? options.lower : accents.get<bool>();
    return [options](OriginText text) { return bertNormal(std::move(text), options); };
}

OriginText stripped(const OriginText& text, bool left, bool right) {
    std::size_t begin = 0, end = text.size();
    while (left && begin < end && isUnicodeSpace(text.characters[begin])) ++begin;
    while (right && end > begin && isUnicodeSpace(text.characters[end - 1])) --end;
    return text.part(begin, end);
}

/// `content` in place of each occurrence of `pattern`, or with `runs` in place of each run of two or more.
OriginText replaced(const OriginText& text, const std::u32string& pattern, const std::u32string& content, bool runs) {
    OriginText result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (text.characters.compare(end, pattern.size(), pattern) == 0 && (runs || end == at)) end += pattern.size();
        if (end == at || (runs && end < at + 2 * pattern.size())) {
            result.add(text.characters[at], text.origins[at]);
            ++at;
            continue;
        }
        result.add(content, text.origin(at, end));
        at = end;
    }
    return result;
}

Normalise readReplace(const Json& document, const std::string& where) {
    const Json& pattern = document.at("pattern");
    const std::u32string content = codePoints(document.at("content").get<std::string>());
    if (pattern.contains("String")) {
        const std::u32string text = codePoints(pattern.at("String").get<std::string>());
        if (text.empty()) throwUnsupported("the normaliser Replace of an empty text", where);
        return [=](const OriginText& given) { return replaced(given, text, content, false); };
    }
    const auto regex = pattern.at("Regex").get<std::string>();
    if (regex != " {2,}") throwUnsupported("the normaliser Replace of the pattern " + printable(regex), where);
    return [=](const OriginText& given) { return replaced(given, U" ", content, true); };
}

Normalise readSequence(const Json& document, const std::string& where) {
    std::vector<Normalise> steps;
    for (const Json& one : document.at("normalizers")) steps.push_back(readNormaliser(one, where));
    return [steps](OriginText text) {
        for (const Normalise& step : steps) text = step(std::move(text));
        return text;
    };
}

}  // namespace

Normalise readNormaliser(const Json& document, const std::string& where) {
    if (document.is_null()) return [](OriginText text) { return text; };
    const std::string type = stepType(document, where);
    if (type == "Sequence") return readSequence(document, where);
    if (type == "BertNormalizer") return readBert(document);
    if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD")
        return [&form = unicodeForm(type)](const OriginText& text) { return inForm(text, form); };
    if (type == "Lowercase") return lowered;
    if (type == "StripAccents")
        return [](const OriginText& text) { return filtered(text, [](char32_t c) { return !(categoryOf(c) & U_GC_M_MASK); }); };
    if (type == "Strip")
        return [left = document.value("strip_left", true),
                right = document.value("strip_right", true)](const OriginText& text) { return stripped(text, left, right); };
    if (type == "Prepend")
        return [content = codePoints(document.at("prepend").get<std::string>())](const OriginText& text) {
            OriginText result;
            if (text.empty()) return result;
            result.add(content, text.origins.front());
            for (std::size_t at = 0; at < text.size(); ++at) result.add(text.characters[at], text.origins[at]);
            return result;
        };
    if (type == "Replace") return readReplace(document, where);
    if (type == "Precompiled") {
        const Json map = document.value("precompiled_charsmap", Json());
        if (map.is_null() || (map.is_string() && map.get_ref<const std::string&>().empty()))
            return [](OriginText text) { return text; };
        return readPrecompiled(map.get<std::string>(), where);
    }
    throwUnsupported("the normaliser " + printable(type), where);
}

std::string stepType(const Json& document, const std::string& where) {
    if (!document.is_object() || !document.contains("type") || !document.at("type").is_string())
        throwDamaged("a part of the tokenizer has no type", where);
    return document.at("type").get<std::string>();
}

void throwUnsupported(const std::string& what, const std::string& where) {
    throwInvalid("the tokenizer uses " + what + ", which Heddle does not read", where,
                 "Heddle reads byte-level BPE, WordPiece and unigram as resources/help/exchange.md lists them; encode the text "
                 "with another tokenizer");
}

void throwDamaged(const std::string& what, const std::string& where) {
    throwInvalid(what, where, "use a tokenizer.json that `tokenizers` has saved");
}

}  // namespace heddle
