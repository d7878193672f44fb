// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/data/tokenizers/bert_text.h"
#include "engine/data/tokenizers/wordpiece_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace heddle {
namespace {

using Counts = std::map<std::string, std::int64_t>;  // sorted, so that the result does not depend on hash order

struct Word {
    std::vector<std::int32_t> symbols;
    std::int64_t count = 0;
};

std::uint64_t pairKey(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

Counts countWords(const std::vector<std::string>& lines, Casing casing) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& line : lines)
        for (std::string& word : bertWords(line, casing)) ++counts[std::move(word)];
    Counts sorted;
    for (auto& [word, count] : counts)
        if (static_cast<std::size_t>(countCodePoints(word)) <= kLongestWordPieceWord) sorted.emplace(word, count);
    return sorted;
}

/// A word's characters as pieces: "a", "##b", "##c".
std::vector<std::string> characterPieces(const std::string& word) {
    std::vector<std::string> pieces = splitCodePoints(word);
    for (std::size_t i = 1; i < pieces.size(); ++i) pieces[i].insert(0, kContinuing);
    return pieces;
}

class PairMerger {
public:
    PairMerger(const Counts& words, std::size_t capacity) : capacity_(capacity) {
        Counts alphabet;
        for (const auto& [word, count] : words)
            for (const std::string& piece : characterPieces(word)) alphabet[piece] += count;
        std::vector<std::pair<std::string, std::int64_t>> characters(alphabet.begin(), alphabet.end());
        std::stable_sort(characters.begin(), characters.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        if (characters.size() > capacity) characters.resize(capacity);
        for (const auto& entry : characters) symbolOf(entry.first);
        for (const auto& [word, count] : words) addWord(word, count);
    }

    /// Merges pairs until the vocabulary is full or no pair occurs `minCount` times; returns the pieces in order of creation.
    std::vector<std::string> merge(std::int64_t minCount) {
        for (const auto& [pair, count] : counts_) queue_.push({count, pair, this});
        while (pieces_.size() < capacity_ && !queue_.empty()) {
            const Candidate best = queue_.top();
            queue_.pop();
            const std::int64_t now = counts_[best.pair];
            if (now != best.count) {
                if (now > 0) queue_.push({now, best.pair, this});
                continue;
            }
            if (now < minCount) break;
            joinPair(best.pair);
        }
        return pieces_;
    }

private:
    /// Orders pairs by frequency, then by the bytes of the left and right piece. The count may be outdated.
    struct Candidate {
        std::int64_t count;
        std::uint64_t pair;
        const PairMerger* merger;
        bool operator<(const Candidate& other) const {
            if (count != other.count) return count < other.count;
            return merger->texts(pair) > merger->texts(other.pair);
        }
    };

    std::pair<const std::string&, const std::string&> texts(std::uint64_t pair) const {
        return {pieces_[pair >> 32], pieces_[pair & 0xFFFFFFFF]};
    }

    std::int32_t symbolOf(const std::string& piece) {
        const auto [found, isNew] = symbols_.emplace(piece, static_cast<std::int32_t>(pieces_.size()));
        if (isNew) pieces_.push_back(piece);
        return found->second;
    }

    /// Ignores a word with a character outside of the vocabulary, since it is encoded as [UNK].
    void addWord(const std::string& text, std::int64_t count) {
        Word word;
        word.count = count;
        for (const std::string& piece : characterPieces(text)) {
            const auto found = symbols_.find(piece);
            if (found == symbols_.end()) return;
            word.symbols.push_back(found->second);
        }
        const std::size_t number = words_.size();
        for (std::size_t i = 1; i < word.symbols.size(); ++i) addCount(number, word.symbols[i - 1], word.symbols[i], count);
        words_.push_back(std::move(word));
    }

    void addCount(std::size_t word, std::int32_t left, std::int32_t right, std::int64_t change) {
        const std::uint64_t pair = pairKey(left, right);
        counts_[pair] += change;
        if (change > 0) places_[pair].insert(word);
    }

    void joinPair(std::uint64_t pair) {
        const auto left = static_cast<std::int32_t>(pair >> 32), right = static_cast<std::int32_t>(pair & 0xFFFFFFFF);
        const std::string& tail = pieces_[static_cast<std::size_t>(right)];
        const std::int32_t joined = symbolOf(pieces_[static_cast<std::size_t>(left)] + tail.substr(2));
        const auto places = std::move(places_[pair]);
        places_.erase(pair);
        std::unordered_set<std::uint64_t> grown;
        for (const std::size_t number : places) {
            Word& word = words_[number];
            const std::vector<std::int32_t> before = std::move(word.symbols);
            word.symbols.clear();
            for (std::size_t i = 0; i < before.size(); ++i) {
                const bool here = before[i] == left && i + 1 < before.size() && before[i + 1] == right;
                word.symbols.push_back(here ? joined : before[i]);
                i += here ? 1 : 0;
            }
            for (std::size_t i = 1; i < before.size(); ++i) addCount(number, before[i - 1], before[i], -word.count);
            for (std::size_t i = 1; i < word.symbols.size(); ++i) {
                addCount(number, word.symbols[i - 1], word.symbols[i], word.count);
                if (word.symbols[i - 1] == joined || word.symbols[i] == joined)
                    grown.insert(pairKey(word.symbols[i - 1], word.symbols[i]));
            }
        }
        for (const std::uint64_t changed : grown) queue_.push({counts_[changed], changed, this});
    }

    std::size_t capacity_;
    std::vector<std::string> pieces_;
    std::unordered_map<std::string, std::int32_t> symbols_;
    std::vector<Word> words_;
    std::unordered_map<std::uint64_t, std::int64_t> counts_;
    std::unordered_map<std::uint64_t, std::unordered_set<std::size_t>> places_;
    std::priority_queue<Candidate> queue_;
};

}  // namespace

std::shared_ptr<const Tokenizer> trainWordPiece(const std::vector<std::string>& lines, const TokenizerSpec& spec) {
    std::vector<std::string> vocab = wordPieceSpecials();
    if (spec.vocabSize <= static_cast<std::int64_t>(vocab.size()))
        throwInvalid(fmt::format("{} pieces leave no room beside the special tokens", spec.vocabSize),
                     "data.tokenizer.vocab_size", fmt::format("set it above {}", vocab.size()));
    const Counts words = countWords(lines, spec.lower ? Casing::Lower : Casing::Keep);
    if (words.empty())
        throwInvalid(fmt::format("no words in {} lines", lines.size()), "data.tokenizer", "train on a text with words");
    const std::vector<std::string> pieces =
        PairMerger(words, static_cast<std::size_t>(spec.vocabSize) - vocab.size()).merge(spec.minCount);
    vocab.insert(vocab.end(), pieces.begin(), pieces.end());
    if (static_cast<std::int64_t>(vocab.size()) < spec.vocabSize)
        throwInvalid(fmt::format("{} lines give {} pieces, not {}: no other pair occurs {} times", lines.size(), vocab.size(),
                                 spec.vocabSize, spec.minCount),
                     "data.tokenizer.vocab_size",
                     fmt::format("set it to {} or less, lower min_count, or train on more text", vocab.size()));
    return wordPieceFromVocab(std::move(vocab), spec, "trained vocabulary");
}

}  // namespace heddle
