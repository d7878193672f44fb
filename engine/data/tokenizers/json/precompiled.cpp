// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/data/tokenizers/json/step.h"

#include <openssl/evp.h>
#include <unicode/brkiter.h>
#include <unicode/unistr.h>

#include <memory>
#include <optional>
#include <string_view>

namespace heddle {
namespace {

[[noreturn]] void throwBadMap(const std::string& where) {
    throwDamaged("the map of the normaliser Precompiled is damaged", where);
}

std::string fromBase64(const std::string& text, const std::string& where) {
    if (text.size() % 4 != 0 || text.size() > (std::size_t{1} << 26)) throwBadMap(where);
    std::string bytes(text.size() / 4 * 3, '\0');
    const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                       reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    if (length < 0) throwBadMap(where);
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    bytes.resize(static_cast<std::size_t>(length) - padding);
    return bytes;
}

/// A double-array trie (Aoe 1989) as the library Darts-clone lays it out, and the texts that its values are offsets of.
class PrecompiledMap {
public:
    PrecompiledMap(const std::string& bytes, std::string where) : where_(std::move(where)) {
        if (bytes.size() < 4) throwBadMap(where_);
        const std::uint32_t trie = numberAt(bytes, 0);
        if (trie % 4 != 0 || trie == 0 || trie > bytes.size() - 4) throwBadMap(where_);
        for (std::size_t at = 4; at < 4 + std::size_t{trie}; at += 4) units_.push_back(numberAt(bytes, at));
        texts_ = bytes.substr(4 + std::size_t{trie});
    }

    /// The text of the shortest entry that `key` begins with.
    std::optional<std::string> find(std::string_view key) const {
        std::uint32_t node = offsetOf(unit(0));
        for (const char c : key) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte == 0) break;
            node ^= byte;
            const std::uint32_t one = unit(node);
            if ((one & 0x8000'00FFU) != byte) break;
            node ^= offsetOf(one);
            if ((one >> 8 & 1) != 0) return textAt(unit(node) & 0x7FFF'FFFFU);
        }
        return std::nullopt;
    }

private:
    static std::uint32_t numberAt(const std::string& bytes, std::size_t at) {
        std::uint32_t number = 0;
        for (unsigned i = 0; i < 4; ++i) number |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
        return number;
    }
    static std::uint32_t offsetOf(std::uint32_t unit) { return (unit >> 10) << ((unit & (1U << 9)) >> 6); }
    std::uint32_t unit(std::uint32_t node) const {
        if (node >= units_.size()) throwBadMap(where_);
        return units_[node];
    }
    std::string textAt(std::uint32_t begin) const {
        const std::size_t end = begin < texts_.size() ? texts_.find('\0', begin) : std::string::npos;
        if (end == std::string::npos) throwBadMap(where_);
        return texts_.substr(begin, end - begin);
    }

    std::string where_, texts_;
    std::vector<std::uint32_t> units_;
};

/// The ends of the graphemes of a text (Unicode Standard Annex 29), in characters.
std::vector<std::size_t> graphemeEnds(const std::u32string& text) {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::BreakIterator> breaks(
        icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    if (U_FAILURE(status))
        throw Error(ErrorCode::Failure, u_errorName(status), "Unicode graphemes", "check the ICU installation");
    const auto units =
        icu::UnicodeString::fromUTF32(reinterpret_cast<const UChar32*>(text.data()), static_cast<std::int32_t>(text.size()));
    breaks->setText(units);
    std::vector<std::size_t> ends;
    std::int32_t before = 0;
    std::size_t at = 0;
    for (std::int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
        at += static_cast<std::size_t>(units.countChar32(before, end - before));
        before = end;
        ends.push_back(at);
    }
    return ends;
}

OriginText mapped(const OriginText& text, const PrecompiledMap& map) {
    constexpr std::size_t kLongestGrapheme = 6;  // bytes; longer ones are mapped character by character
    OriginText result;
    std::size_t begin = 0;
    for (const std::size_t end : graphemeEnds(text.characters)) {
        const std::u32string_view grapheme = std::u32string_view(text.characters).substr(begin, end - begin);
        const std::string bytes = utf8(grapheme);
        const auto whole = bytes.size() < kLongestGrapheme ? map.find(bytes) : std::nullopt;
        if (whole) result.add(codePoints(*whole), text.origin(begin, end));
        for (std::size_t at = begin; !whole && at < end; ++at) {
            const auto one = map.find(utf8(grapheme.substr(at - begin, 1)));
            result.add(one ? codePoints(*one) : std::u32string(1, text.characters[at]), text.origins[at]);
        }
        begin = end;
    }
    return result;
}

}  // namespace

Normalise readPrecompiled(const std::string& base64, const std::string& where) {
    const auto map = std::make_shared<const PrecompiledMap>(fromBase64(base64, where), where);
    return [map](const OriginText& text) { return mapped(text, *map); };
}

}  // namespace heddle
