// SPDX-License-Identifier: Apache-2.0
#include "engine/data/character_tokenizer.h"

#include "engine/data/bert_text.h"
#include "engine/data/cache_file.h"
#include "engine/data/vocabulary.h"
#include "engine/metrics/unicode.h"
#include "engine/spec/error.h"

#include <fmt/format.h>
#include <unicode/utf8.h>

namespace heddle {
namespace {

constexpr const char* kSchema = "heddle.characters/1";

/// Writing without spaces between words: ideographs, kana, bopomofo, their punctuation, full-width forms.
bool isWrittenWithoutSpaces(std::string_view character) {
    UChar32 c = 0;
    std::int32_t at = 0;
    U8_NEXT_OR_FFFD(character.data(), at, static_cast<std::int32_t>(character.size()), c);
    return isIdeograph(c) || (c >= 0x3001 && c <= 0x312F) || (c >= 0x31A0 && c <= 0x31BF) || (c >= 0x31F0 && c <= 0x31FF) ||
           (c >= 0xFF01 && c <= 0xFFEE);
}

std::vector<std::string> charactersOf(const std::string& line) {
    std::vector<std::string> characters;
    for (const std::string& word : splitUnicodeSpace(line)) {
        std::vector<std::string> points = splitCodePoints(word);
        if (!characters.empty() && !(isWrittenWithoutSpaces(characters.back()) && isWrittenWithoutSpaces(points.front())))
            characters.emplace_back(" ");
        characters.insert(characters.end(), std::make_move_iterator(points.begin()), std::make_move_iterator(points.end()));
    }
    return characters;
}

class CharacterTokenizer final : public Tokenizer {
public:
    CharacterTokenizer(TokenizerSpec spec, std::vector<std::string> characters)
        : spec_(std::move(spec)), vocabulary_(specialTokens(spec_.mask ? Mask::With : Mask::Without), std::move(characters)) {}

    std::int64_t size() const override { return vocabulary_.size(); }

    std::vector<std::int32_t> encode(const std::string& line) const override {
        std::vector<std::int32_t> ids;
        for (const std::string& character : split(line)) ids.push_back(vocabulary_.idOf(character));
        return ids;
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::string text;
        for (const std::int32_t id : ids)
            if (id == kUnk || id < 0 || id >= specials()) text += token(id);
        return text;
    }

    std::string token(std::int32_t id) const override { return vocabulary_.token(id); }

    std::vector<std::string> tokens(const std::string& line) const override {
        std::vector<std::string> result = split(line);
        for (std::string& character : result) character = token(vocabulary_.idOf(character));
        return result;
    }

    std::string hash() const override { return sha256Hex(saved()); }

    std::string saved() const override {
        Json document{
            {"schema", kSchema}, {"lower", spec_.lower}, {"min_count", spec_.minCount}, {"characters", vocabulary_.entries()}};
        if (spec_.mask) document["mask"] = true;
        return canonicalJson(document);
    }

    void save(const std::string& folder, const std::string& name) const override {
        writeFileAtomically(folder + "/" + name + ".json", saved());
    }

    std::int32_t maskId() const override { return spec_.mask ? kMask : -1; }
    std::shared_ptr<const Tokenizer> withMask() const override {
        TokenizerSpec masked = spec_;
        masked.mask = true;
        return std::make_shared<CharacterTokenizer>(masked, vocabulary_.entries());
    }
    TokenizerSpec spec() const override { return spec_; }

private:
    std::vector<std::string> split(const std::string& line) const { return charactersOf(spec_.lower ? toLower(line) : line); }

    TokenizerSpec spec_;
    Vocabulary vocabulary_;
};

std::shared_ptr<const Tokenizer> makeCharacters(const TokenizerSpec& given, std::vector<std::string> characters) {
    TokenizerSpec spec;  // only what the saved form says
    spec.kind = "characters";
    spec.lower = given.lower;
    spec.minCount = given.minCount;
    spec.mask = given.mask;
    return std::make_shared<CharacterTokenizer>(spec, std::move(characters));
}

}  // namespace

std::shared_ptr<const Tokenizer> trainCharacters(const std::vector<std::string>& lines, const TokenizerSpec& spec) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& line : lines)
        for (std::string& character : charactersOf(spec.lower ? toLower(line) : line)) ++counts[std::move(character)];
    const std::string none = fmt::format("no character occurs {} times in {} lines", spec.minCount, lines.size());
    return makeCharacters(spec, frequentEntries(counts, spec.minCount, none));
}

std::shared_ptr<const Tokenizer> charactersFromJson(const Json& document, const std::string& where) {
    TokenizerSpec spec;
    std::vector<std::string> characters;
    try {
        if (document.at("schema") != kSchema)
            throwInvalid("is not a Heddle vocabulary", where, "its \"schema\" is not known here");
        document.at("lower").get_to(spec.lower);
        document.at("min_count").get_to(spec.minCount);
        document.at("characters").get_to(characters);
        spec.mask = document.value("mask", false);
    } catch (const Json::exception& error) {
        throwInvalid(fmt::format("is not a Heddle vocabulary: {}", error.what()), where, "use a file that Heddle saved");
    }
    return makeCharacters(spec, std::move(characters));
}

}  // namespace heddle
