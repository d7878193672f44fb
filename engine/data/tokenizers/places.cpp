// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/places.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <algorithm>
#include <array>

namespace heddle {
namespace {

bool isSpace(const std::string& character) { return splitUnicodeSpace(character).empty(); }

/// Walks through a text along entries that were taken out of it.
class EntryFinder {
public:
    explicit EntryFinder(const std::vector<std::string>& text) : text_(text) {}

    std::pair<std::size_t, std::size_t> next(const std::string& entry) {
        const std::size_t before = at_;
        while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
        if (entry == " ") return {before, at_};
        const std::vector<std::string> wanted = splitCodePoints(entry);
        for (std::size_t begin = at_; begin < text_.size(); ++begin)
            for (const Spelling spelling : {Spelling::Entities, Spelling::AsIs})
                if (const std::size_t end = match(wanted, begin, spelling); end > begin) {
                    at_ = end;
                    return {begin, end};
                }
        return {at_, at_};  // stands for nothing in the text
    }

private:
    /// Whether "&amp;" stands for "&" or for itself.
    enum class Spelling { Entities, AsIs };

    /// The end of these characters from `at` on; 0: they are not there.
    std::size_t match(const std::vector<std::string>& wanted, std::size_t at, Spelling spelling) const {
        for (const std::string& character : wanted) {
            const std::size_t entity = spelling == Spelling::Entities ? entityAt(at, character) : 0;
            if (entity == 0 && (at == text_.size() || text_[at] != character)) return 0;
            at += std::max<std::size_t>(entity, 1);
        }
        return at;
    }

    /// The length of the entity (&quot; …) that stands for this character; 0: there is none.
    std::size_t entityAt(std::size_t at, const std::string& character) const {
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEntities{
            {{"\"", "&quot;"}, {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}}};
        for (const auto& [meant, written] : kEntities) {
            if (character != meant || at + written.size() > text_.size()) continue;
            const auto isWritten = [&, text = written](std::size_t i) { return text_[at + i] == text.substr(i, 1); };
            std::size_t length = 0;
            while (length < written.size() && isWritten(length)) ++length;
            if (length == written.size()) return length;
        }
        return 0;
    }

    const std::vector<std::string>& text_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<PlacedToken> placesOf(const Tokenizer& tokenizer, const std::string& line) {
    const auto* placing = dynamic_cast<const PlacingTokenizer*>(&tokenizer);
    if (placing == nullptr)
        throw Error(ErrorCode::Failure, "this tokenizer does not give the positions of its tokens", "data.tokenizer.kind",
                    "use words, characters, wordpiece or sentencepiece");
    return placing->places(line);
}

TracedText::TracedText(const std::string& text, bool lower) {
    const std::vector<std::string> original = splitCodePoints(text);
    if (!lower) {
        characters_ = original;
        for (std::size_t i = 0; i <= original.size(); ++i) origins_.push_back(static_cast<std::int32_t>(i));
    } else {
        // A character is lower-cased to as many characters wherever it stands, though not to the same ones (final sigma).
        characters_ = splitCodePoints(toLower(text));
        for (std::size_t i = 0; i < original.size(); ++i)
            for (std::int64_t k = 0; k < countCodePoints(toLower(original[i])); ++k)
                origins_.push_back(static_cast<std::int32_t>(i));
        origins_.resize(characters_.size(), static_cast<std::int32_t>(original.size()));
        origins_.push_back(static_cast<std::int32_t>(original.size()));
    }
    byteBegins_.push_back(0);
    for (const std::string& character : characters_) byteBegins_.push_back(byteBegins_.back() + character.size());
}

std::int32_t TracedText::originOfByte(std::size_t byte) const {
    const auto after = std::upper_bound(byteBegins_.begin(), byteBegins_.end(), byte);
    return origins_[static_cast<std::size_t>(after - byteBegins_.begin()) - 1];
}

std::vector<std::pair<std::size_t, std::size_t>> findEntries(const TracedText& text, const std::vector<std::string>& entries) {
    EntryFinder finder(text.characters());
    std::vector<std::pair<std::size_t, std::size_t>> places;
    places.reserve(entries.size());
    for (const std::string& entry : entries) places.push_back(finder.next(entry));
    return places;
}

}  // namespace heddle
