// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/unicode.h"
#include "engine/data/tokenizers/json/step.h"

#include <unicode/uchar.h>

#include <array>
#include <unordered_map>
#include <utility>

namespace heddle {
namespace {

using WordList = std::vector<OriginText>;

void addPart(const OriginText& text, std::size_t begin, std::size_t end, WordList& words) {
    if (end > begin) words.push_back(text.part(begin, end));
}

bool isBertPunctuation(char32_t c) {
    return c < 0x80 ? isAsciiPunctuation(static_cast<std::int32_t>(c)) : (categoryInUnicode8(c) & U_GC_P_MASK) != 0;
}

/// \w of Unicode Technical Standard 18, annex C.
bool isWordCharacter(char32_t c) {
    const auto point = static_cast<UChar32>(c);
    return (categoryOf(c) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 || u_isUAlphabetic(point) != 0 ||
           u_hasBinaryProperty(point, UCHAR_JOIN_CONTROL) != 0;
}

/// Splits between characters of different classes; those of class -1 are dropped, those of class 0 stand alone.
template <typename Class>
void splitByClass(const OriginText& text, Class&& classOf, WordList& words) {
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        const int kind = classOf(text.characters[begin]);
        for (end = begin + 1; kind != 0 && end < text.size() && classOf(text.characters[end]) == kind;) ++end;
        if (kind >= 0) addPart(text, begin, end, words);
    }
}

/// The number of characters of the contraction ('s 't 're 've 'm 'll 'd) at `at`; 0: none.
std::size_t contraction(std::u32string_view text, std::size_t at) {
    static constexpr std::array<std::u32string_view, 7> kContractions{U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"};
    for (const std::u32string_view one : kContractions)
        if (text.substr(at).starts_with(one)) return one.size();
    return 0;
}

enum class Gpt2Class { Space, Letter, Number, Other };

Gpt2Class gpt2Class(char32_t c) {
    if (isUnicodeSpace(c)) return Gpt2Class::Space;
    const std::uint32_t category = categoryOf(c);
    if ((category & U_GC_L_MASK) != 0) return Gpt2Class::Letter;
    return (category & U_GC_N_MASK) != 0 ? Gpt2Class::Number : Gpt2Class::Other;
}

/// The end of the word that begins at `begin`, by the pattern of GPT-2 (Radford et al. 2019, public code):
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t gpt2WordEnd(std::u32string_view text, std::size_t begin) {
    if (const std::size_t length = contraction(text, begin); length > 0) return begin + length;
    const auto runEnd = [&](std::size_t at) {
        const Gpt2Class kind = gpt2Class(text[at]);
        while (at < text.size() && gpt2Class(text[at]) == kind) ++at;
        return at;
    };
    const std::size_t first = text[begin] == ' ' && begin + 1 < text.size() ? begin + 1 : begin;
    if (gpt2Class(text[first]) != Gpt2Class::Space) return runEnd(first);
    const std::size_t end = runEnd(begin);
    // White space before a word leaves its last character to the word.
    return end < text.size() && end > begin + 1 ? end - 1 : end;
}

struct ByteLevelOptions {
    bool prefixSpace = true, pattern = true;
};

OriginText asBytes(const OriginText& word) {
    OriginText bytes;
    for (std::size_t at = 0; at < word.size(); ++at)
        for (const char byte : utf8(word.characters.substr(at, 1)))
            bytes.add(byteCharacter(static_cast<unsigned char>(byte)), word.origins[at]);
    return bytes;
}

/// Puts a character before the text. It has no origin in the line.
void putBefore(char32_t character, OriginText& text) {
    const std::int32_t begin = text.origins.front().begin;
    text.characters.insert(text.characters.begin(), character);
    text.origins.insert(text.origins.begin(), {begin, begin});
}

void splitBytes(OriginText text, const ByteLevelOptions& options, WordList& words) {
    if (options.prefixSpace && !text.empty() && text.characters.front() != ' ') putBefore(' ', text);
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        end = options.pattern ? gpt2WordEnd(text.characters, begin) : text.size();
        words.push_back(asBytes(text.part(begin, end)));
    }
}

enum class Prepend { Always, First, Never };

struct MetaspaceOptions {
    char32_t mark = U'\u2581';
    Prepend prepend = Prepend::Always;
    bool split = true;
};

void splitMetaspace(OriginText text, const MetaspaceOptions& options, WordList& words) {
    if (text.empty()) return;
    for (char32_t& c : text.characters)
        if (c == ' ') c = options.mark;
    const bool wanted = options.prepend == Prepend::Always || (options.prepend == Prepend::First && text.begin == 0);
    if (wanted && text.characters.front() != options.mark) putBefore(options.mark, text);
    std::size_t begin = 0;
    for (std::size_t at = 1; options.split && at < text.size(); ++at)
        if (text.characters[at] == options.mark) {
            addPart(text, begin, at, words);
            begin = at;
        }
    addPart(text, begin, text.size(), words);
}

SplitText readMetaspace(const Json& document, const std::string& where) {
    MetaspaceOptions options;
    const std::u32string mark = codePoints(document.value("replacement", "\u2581"));
    if (mark.size() != 1) throwUnsupported("the pre-tokenizer Metaspace with a mark of several characters", where);
    options.mark = mark.front();
    const std::string scheme = prependScheme(document);
    if (scheme != "always" && scheme != "first" && scheme != "never")
        throwUnsupported("the prepend_scheme " + printable(scheme), where);
    options.prepend = scheme == "always" ? Prepend::Always : scheme == "first" ? Prepend::First : Prepend::Never;
    options.split = document.value("split", true);
    return [options](OriginText text, WordList& words) { splitMetaspace(std::move(text), options, words); };
}

SplitText readSplitSequence(const Json& document, const std::string& where) {
    std::vector<SplitText> steps;
    for (const Json& one : document.at("pretokenizers")) steps.push_back(readSplit(one, where));
    return [steps](OriginText text, WordList& words) {
        WordList now;
        if (!text.empty()) now.push_back(std::move(text));
        for (const SplitText& step : steps) {
            WordList next;
            for (OriginText& word : now) step(std::move(word), next);
            now = std::move(next);
        }
        for (OriginText& word : now) words.push_back(std::move(word));
    };
}

struct ByteTable {
    std::array<char32_t, 256> characters{};
    std::unordered_map<char32_t, int> bytes;
};

const ByteTable& byteTable() {
    static const ByteTable kTable = [] {
        ByteTable table;
        char32_t moved = 0x100;
        for (char32_t byte = 0; byte < 256; ++byte) {
            const bool printed = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
            table.characters[byte] = printed ? byte : moved++;
            table.bytes[table.characters[byte]] = static_cast<int>(byte);
        }
        return table;
    }();
    return kTable;
}

}  // namespace

char32_t byteCharacter(unsigned char byte) { return byteTable().characters[byte]; }

int characterByte(char32_t character) {
    const auto found = byteTable().bytes.find(character);
    return found == byteTable().bytes.end() ? -1 : found->second;
}

std::string prependScheme(const Json& document) {
    return document.value("prepend_scheme", document.value("add_prefix_space", true) ? "always" : "never");
}

SplitText readSplit(const Json& document, const std::string& where) {
    if (document.is_null())
        return [](OriginText text, WordList& words) {
            if (!text.empty()) words.push_back(std::move(text));
        };
    const std::string type = stepType(document, where);
    if (type == "Sequence") return readSplitSequence(document, where);
    if (type == "WhitespaceSplit")
        return [](const OriginText& text, WordList& words) {
            splitByClass(
                text, [](char32_t c) { return isUnicodeSpace(c) ? -1 : 1; }, words);
        };
    if (type == "BertPreTokenizer")
        return [](const OriginText& text, WordList& words) {
            splitByClass(
                text, [](char32_t c) { return isUnicodeSpace(c)      ? -1
                                              : isBertPunctuation(c) ? 0
                                                                     : 1; }, words);
        };
    if (type == "Whitespace")
        return [](const OriginText& text, WordList& words) {
            splitByClass(
                text, [](char32_t c) { return isWordCharacter(c)  ? 1
                                              : isUnicodeSpace(c) ? -1
                                                                  : 2; }, words);
        };
    if (type == "Metaspace") return readMetaspace(document, where);
    if (type == "ByteLevel") {
        const ByteLevelOptions options{document.value("add_prefix_space", true), document.value("use_regex", true)};
        return [options](OriginText text, WordList& words) { splitBytes(std::move(text), options, words); };
    }
    throwUnsupported("the pre-tokenizer " + printable(type), where);
}

}  // namespace heddle
