// SPDX-License-Identifier: Apache-2.0
#include "engine/data/word_tokenizer.h"

#include "engine/data/cache_file.h"
#include "engine/data/vocabulary.h"
#include "engine/metrics/unicode.h"
#include "engine/spec/error.h"

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr const char* kSchema = "heddle.words/1";

class WordTokenizer final : public Tokenizer {
public:
    WordTokenizer(TokenizerSpec spec, std::vector<std::string> words)
        : spec_(std::move(spec)), vocabulary_(specialTokens(spec_.mask ? Mask::With : Mask::Without), std::move(words)) {}

    std::int64_t size() const override { return vocabulary_.size(); }

    std::vector<std::int32_t> encode(const std::string& line) const override {
        std::vector<std::int32_t> ids;
        for (const std::string& word : words(line)) ids.push_back(vocabulary_.idOf(word));
        return ids;
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::vector<std::string> words;
        for (const std::int32_t id : ids)
            if (id == kUnk || id < 0 || id >= specials()) words.push_back(token(id));
        return joinWords(words, spec_.split);
    }

    std::string token(std::int32_t id) const override { return vocabulary_.token(id); }

    std::vector<std::string> tokens(const std::string& line) const override {
        std::vector<std::string> result = words(line);
        for (std::string& word : result) word = token(vocabulary_.idOf(word));
        return result;
    }

    std::string hash() const override { return sha256Hex(saved()); }

    std::string saved() const override {
        Json document{{"schema", kSchema},
                      {"split", spec_.split},
                      {"lower", spec_.lower},
                      {"min_count", spec_.minCount},
                      {"words", vocabulary_.entries()}};
        if (spec_.mask) document["mask"] = true;  // absent otherwise: files from before there was a mask keep their hash
        return canonicalJson(document);
    }

    void save(const std::string& folder, const std::string& name) const override {
        writeFileAtomically(folder + "/" + name + ".json", saved());
    }

    std::int32_t maskId() const override { return spec_.mask ? kMask : -1; }
    std::shared_ptr<const Tokenizer> withMask() const override {
        TokenizerSpec masked = spec_;
        masked.mask = true;
        return std::make_shared<WordTokenizer>(masked, vocabulary_.entries());
    }
    TokenizerSpec spec() const override { return spec_; }

private:
    std::vector<std::string> words(const std::string& line) const {
        return splitWords(spec_.lower ? toLower(line) : line, spec_.split);
    }

    TokenizerSpec spec_;
    Vocabulary vocabulary_;
};

std::shared_ptr<const Tokenizer> makeWords(const TokenizerSpec& given, std::vector<std::string> words) {
    TokenizerSpec spec;  // only what the saved form says
    spec.split = given.split;
    spec.lower = given.lower;
    spec.minCount = given.minCount;
    spec.mask = given.mask;
    return std::make_shared<WordTokenizer>(spec, std::move(words));
}

}  // namespace

std::shared_ptr<const Tokenizer> trainWords(const std::vector<std::string>& lines, const TokenizerSpec& spec) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& line : lines)
        for (std::string& word : splitWords(spec.lower ? toLower(line) : line, spec.split)) ++counts[std::move(word)];
    for (const std::string& special : specialTokens(spec.mask ? Mask::With : Mask::Without)) counts.erase(special);
    const std::string none = fmt::format("no word occurs {} times in {} lines", spec.minCount, lines.size());
    return makeWords(spec, frequentEntries(counts, spec.minCount, none));
}

std::shared_ptr<const Tokenizer> wordsFromJson(const Json& document, const std::string& where) {
    TokenizerSpec spec;
    std::vector<std::string> words;
    try {
        if (document.at("schema") != kSchema)
            throwInvalid("is not a Heddle vocabulary", where, "its \"schema\" is not known here");
        document.at("split").get_to(spec.split);
        document.at("lower").get_to(spec.lower);
        document.at("min_count").get_to(spec.minCount);
        document.at("words").get_to(words);
        spec.mask = document.value("mask", false);
    } catch (const Json::exception& error) {
        throwInvalid(fmt::format("is not a Heddle vocabulary: {}", error.what()), where, "use a file that Heddle saved");
    }
    joinWords({}, spec.split);  // an unknown way of splitting is found now, not at the first line
    return makeWords(spec, std::move(words));
}

}  // namespace heddle
