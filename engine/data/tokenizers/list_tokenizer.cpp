// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/list_tokenizer.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/unicode.h"
#include "engine/data/tokenizers/bert_text.h"
#include "engine/data/tokenizers/places.h"
#include "engine/data/tokenizers/vocabulary.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace heddle {
namespace {

/// Characters of scripts without spaces between words: ideographs, kana, bopomofo, their punctuation, full-width forms.
bool isWrittenWithoutSpaces(std::string_view character) {
    const std::int32_t c = codePointOf(character);
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

WordSplit splitIn(const Json& word) {
    if (const auto named = choiceNamed<WordSplit>(word.get<std::string>())) return *named;
    throwInvalid("unknown value \"" + word.get<std::string>() + "\"", "data.tokenizer.split", "use whitespace or 13a");
}

MaskToken maskOf(const TokenizerSpec& spec) { return spec.mask ? MaskToken::With : MaskToken::Without; }

std::vector<std::string> split(const ListForm& form, const std::string& line, const TokenizerSpec& spec) {
    return form.split(spec.lower ? toLower(line) : line, spec);
}

/// The original end of traced characters: behind the last one's origin.
std::int32_t endOf(const TracedText& text, std::size_t begin, std::size_t end) {
    return end > begin ? text.originOf(end - 1) + 1 : text.originOf(begin);
}

class ListTokenizer final : public PlacingTokenizer {
public:
    ListTokenizer(const ListForm& form, const TokenizerSpec& given, std::vector<std::string> entries)
        : form_(form), vocabulary_(specialTokens(maskOf(given)), std::move(entries)) {
        spec_.kind = form.kind;  // only members of the saved form
        if (form.namesSplit) spec_.split = given.split;
        spec_.lower = given.lower;
        spec_.minCount = given.minCount;
        spec_.mask = given.mask;
    }

    std::int64_t size() const override { return vocabulary_.size(); }

    std::vector<std::int32_t> encode(const std::string& line) const override {
        std::vector<std::int32_t> ids;
        for (const std::string& entry : split(form_, line, spec_)) ids.push_back(vocabulary_.idOf(entry));
        return ids;
    }

    std::vector<PlacedToken> places(const std::string& line) const override {
        const std::vector<std::string> entries = split(form_, line, spec_);
        const TracedText text(line, spec_.lower);
        const auto found = findEntries(text, entries);
        std::vector<PlacedToken> placed;
        for (std::size_t i = 0; i < entries.size(); ++i)
            placed.push_back(
                {vocabulary_.idOf(entries[i]), text.originOf(found[i].first), endOf(text, found[i].first, found[i].second)});
        return placed;
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::vector<std::string> entries;
        for (const std::int32_t id : ids)
            if (id == kUnk || id < 0 || id >= specials()) entries.push_back(token(id));
        return form_.join(entries, spec_);
    }

    std::string token(std::int32_t id) const override { return vocabulary_.token(id); }

    std::string saved() const override {
        Json document{{"schema", form_.schema},
                      {"lower", spec_.lower},
                      {"min_count", spec_.minCount},
                      {form_.entries, vocabulary_.entries()}};
        if (form_.namesSplit) document["split"] = wordOf(spec_.split);
        if (spec_.mask) document["mask"] = true;  // omitted if false, so that older files keep their hash
        return canonicalJson(document);
    }

    std::int32_t maskId() const override { return spec_.mask ? kMask : -1; }
    std::shared_ptr<const Tokenizer> withMask() const override {
        TokenizerSpec masked = spec_;
        masked.mask = true;
        return std::make_shared<ListTokenizer>(form_, masked, vocabulary_.entries());
    }
    TokenizerSpec spec() const override { return spec_; }

private:
    const ListForm& form_;
    TokenizerSpec spec_;
    Vocabulary vocabulary_;
};

}  // namespace

const ListForm& wordForm() {
    static const ListForm form{
        TokenizerKind::Words,
        "heddle.words/1",
        "words",
        "word",
        true,
        [](const std::string& line, const TokenizerSpec& spec) { return splitWords(line, spec.split); },
        [](const std::vector<std::string>& words, const TokenizerSpec& spec) { return joinWords(words, spec.split); }};
    return form;
}

const ListForm& characterForm() {
    static const ListForm form{TokenizerKind::Characters,
                               "heddle.characters/1",
                               "characters",
                               "character",
                               false,
                               [](const std::string& line, const TokenizerSpec&) { return charactersOf(line); },
                               [](const std::vector<std::string>& characters, const TokenizerSpec&) {
                                   std::string text;
                                   for (const std::string& character : characters) text += character;
                                   return text;
                               }};
    return form;
}

std::shared_ptr<const Tokenizer> trainList(const ListForm& form, const std::vector<std::string>& lines,
                                           const TokenizerSpec& spec) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& line : lines)
        for (std::string& entry : split(form, line, spec)) ++counts[std::move(entry)];
    for (const std::string& special : specialTokens(maskOf(spec))) counts.erase(special);
    const std::string none = fmt::format("no {} occurs at least {} times in {} lines", form.entry, spec.minCount, lines.size());
    return std::make_shared<ListTokenizer>(form, spec, frequentEntries(counts, spec.minCount, none));
}

std::shared_ptr<const Tokenizer> listFromJson(const ListForm& form, const Json& document, const std::string& where) {
    TokenizerSpec spec;
    std::vector<std::string> entries;
    try {
        if (document.at("schema") != form.schema)
            throwInvalid("not a Heddle vocabulary", where, "its \"schema\" is unknown to this version");
        if (form.namesSplit) spec.split = splitIn(document.at("split"));
        document.at("lower").get_to(spec.lower);
        document.at("min_count").get_to(spec.minCount);
        document.at(form.entries).get_to(entries);
        spec.mask = document.value("mask", false);
    } catch (const Json::exception& error) {
        throwInvalid(fmt::format("not a Heddle vocabulary: {}", error.what()), where, "use a file written by Heddle");
    }
    return std::make_shared<ListTokenizer>(form, spec, std::move(entries));
}

}  // namespace heddle
