// SPDX-License-Identifier: Apache-2.0
#include "engine/data/word_tokenizer.h"

#include "engine/data/cache_file.h"
#include "engine/metrics/unicode.h"
#include "engine/spec/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace heddle {
namespace {

constexpr const char* kSchema = "heddle.words/1";

class WordTokenizer final : public Tokenizer {
public:
    WordTokenizer(const TokenizerSpec& spec, std::vector<std::string> words)
        : split_(spec.split), lower_(spec.lower), minCount_(spec.minCount), tokens_(specialTokens()) {
        tokens_.insert(tokens_.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
        for (std::size_t id = kSpecials; id < tokens_.size(); ++id) ids_.emplace(tokens_[id], static_cast<std::int32_t>(id));
    }

    std::int64_t size() const override { return static_cast<std::int64_t>(tokens_.size()); }

    std::vector<std::int32_t> encode(const std::string& line) const override {
        std::vector<std::int32_t> ids;
        for (const std::string& word : words(line)) ids.push_back(idOf(word));
        return ids;
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::vector<std::string> words;
        for (const std::int32_t id : ids)
            if (id == kUnk || id >= kSpecials) words.push_back(token(id));
        return joinWords(words, split_);
    }

    std::string token(std::int32_t id) const override {
        if (id < 0 || id >= size())
            throwInvalid(fmt::format("no token {}", id), "vocabulary", fmt::format("ids are below {}", size()));
        return tokens_[static_cast<std::size_t>(id)];
    }

    std::vector<std::string> tokens(const std::string& line) const override {
        std::vector<std::string> result = words(line);
        for (std::string& word : result) word = token(idOf(word));
        return result;
    }

    std::string hash() const override { return sha256Hex(saved()); }

    std::string saved() const override {
        return canonicalJson({{"schema", kSchema},
                              {"split", split_},
                              {"lower", lower_},
                              {"min_count", minCount_},
                              {"words", std::vector<std::string>(tokens_.begin() + kSpecials, tokens_.end())}});
    }

    void save(const std::string& folder, const std::string& name) const override {
        writeFileAtomically(folder + "/" + name + ".json", saved());
    }

private:
    std::vector<std::string> words(const std::string& line) const { return splitWords(lower_ ? toLower(line) : line, split_); }

    std::int32_t idOf(const std::string& word) const {
        const auto found = ids_.find(word);
        return found == ids_.end() ? kUnk : found->second;
    }

    std::string split_;
    bool lower_;
    std::int64_t minCount_;
    std::vector<std::string> tokens_;
    std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace

std::shared_ptr<const Tokenizer> trainWords(const std::vector<std::string>& lines, const TokenizerSpec& spec) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& line : lines)
        for (std::string& word : splitWords(spec.lower ? toLower(line) : line, spec.split)) ++counts[std::move(word)];
    for (const std::string& special : specialTokens()) counts.erase(special);

    std::vector<std::pair<std::string, std::int64_t>> kept;
    for (const auto& entry : counts)
        if (entry.second >= spec.minCount) kept.emplace_back(entry.first, entry.second);
    if (kept.empty())
        throwInvalid(fmt::format("no word occurs {} times in {} lines", spec.minCount, lines.size()),
                     "data.tokenizer.min_count", "lower it, or train on more text");
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
    std::vector<std::string> words;
    for (auto& entry : kept) words.push_back(std::move(entry.first));
    return std::make_shared<WordTokenizer>(spec, std::move(words));
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
    } catch (const Json::exception& error) {
        throwInvalid(fmt::format("is not a Heddle vocabulary: {}", error.what()), where, "use a file that Heddle saved");
    }
    joinWords({}, spec.split);  // an unknown way of splitting is found now, not at the first line
    return std::make_shared<WordTokenizer>(spec, std::move(words));
}

}  // namespace heddle
