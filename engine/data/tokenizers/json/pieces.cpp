// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/json/pieces.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/data/tokenizers/json/origin_text.h"
#include "engine/data/tokenizers/json/step.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace heddle {
namespace {

using PieceIds = std::unordered_map<std::u32string, std::int32_t>;

[[noreturn]] void throwBadModel(const std::string& what, const std::string& where) {
    throwDamaged("the model of the tokenizer is damaged: " + what, where);
}

/// The texts of a "vocab" of texts with ids, which must be 0 … N − 1.
std::vector<std::string> tokensById(const Json& vocab, const std::string& where) {
    std::vector<std::string> tokens(vocab.size());
    std::vector<bool> taken(vocab.size());
    for (const auto& [token, number] : vocab.items()) {
        const auto id = number.get<std::int64_t>();
        if (!number.is_number_integer() || id < 0 || id >= std::ssize(tokens) || taken[static_cast<std::size_t>(id)])
            throwBadModel(fmt::format("the id of \"{}\" is not one of 0 … {}, each once", printableExcerpt(token, 40),
                                      std::ssize(tokens) - 1),
                          where);
        tokens[static_cast<std::size_t>(id)] = token;
        taken[static_cast<std::size_t>(id)] = true;
    }
    return tokens;
}

PieceIds idsOf(const std::vector<std::string>& tokens) {
    PieceIds ids;
    for (std::size_t id = 0; id < tokens.size(); ++id) ids.emplace(codePoints(tokens[id]), static_cast<std::int32_t>(id));
    return ids;
}

std::int32_t idIn(const PieceIds& ids, const std::u32string& text) {
    const auto found = ids.find(text);
    return found == ids.end() ? -1 : found->second;
}

/// The id of the token that a model names as "unk_token"; -1: it names none.
std::int32_t unknownOf(const Json& document, const PieceIds& ids, const std::string& where) {
    const Json name = document.value("unk_token", Json());
    if (name.is_null()) return -1;
    const std::int32_t id = idIn(ids, codePoints(name.get<std::string>()));
    if (id < 0) throwBadModel("its unk_token is not in the vocabulary", where);
    return id;
}

void requireNone(const Json& document, const char* option, const std::string& where) {
    const Json value = document.value(option, Json());
    for (const Json& off : {Json(), Json(""), Json(false), Json(0)})
        if (value == off) return;
    throwUnsupported(fmt::format("the option {} of {}", option, document.value("type", "its model")), where);
}

class BytePairs final : public SubwordModel {
public:
    BytePairs(const Json& document, const std::string& where) {
        for (const char* option : {"dropout", "byte_fallback", "continuing_subword_prefix", "end_of_word_suffix"})
            requireNone(document, option, where);
        tokens_ = tokensById(document.at("vocab"), where);
        ids_ = idsOf(tokens_);
        unknown_ = unknownOf(document, ids_, where);
        fusesUnknown_ = document.value("fuse_unk", false);
        prefersWhole_ = document.value("ignore_merges", false);
        std::int32_t rank = 0;
        for (const Json& merge : document.at("merges")) addMerge(merge, rank++, where);
    }

    void split(std::u32string_view word, std::vector<WordPart>& parts) const override {
        if (prefersWhole_)
            if (const std::int32_t id = idIn(ids_, std::u32string(word)); id >= 0) {
                parts.push_back({id, 0, word.size()});
                return;
            }
        std::vector<Symbol> symbols = symbolsOf(word);
        mergeAll(symbols);
        for (const Symbol& symbol : symbols)
            if (symbol.end > symbol.begin) parts.push_back({symbol.id, symbol.begin, symbol.end});
    }

private:
    struct Symbol {
        std::int32_t id = 0;
        std::size_t begin = 0, end = 0;  ///< in the word; equal: merged into the one before
        std::ptrdiff_t previous = -1, next = -1;
    };
    struct Merge {
        std::int32_t rank = 0, id = 0;
    };
    struct Waiting {
        std::int32_t rank = 0;
        std::ptrdiff_t at = 0;
        std::int32_t id = 0;
        bool operator<(const Waiting& other) const { return std::tie(rank, at) > std::tie(other.rank, other.at); }
    };
    static std::uint64_t key(std::int32_t left, std::int32_t right) {
        return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
    }

    void addMerge(const Json& merge, std::int32_t rank, const std::string& where) {
        std::string left, right;
        if (merge.is_string()) {
            const auto text = merge.get<std::string>();
            const std::size_t space = text.find(' ');
            if (space == std::string::npos) throwBadModel(fmt::format("merge {} is no pair", rank), where);
            left = text.substr(0, space);
            right = text.substr(space + 1);
        } else {
            std::tie(left, right) = merge.get<std::pair<std::string, std::string>>();
        }
        const std::u32string first = codePoints(left), second = codePoints(right);
        const std::int32_t a = idIn(ids_, first), b = idIn(ids_, second), both = idIn(ids_, first + second);
        if (a < 0 || b < 0 || both < 0)
            throwBadModel(fmt::format("merge {} (\"{} {}\") has a token that is not in the vocabulary", rank,
                                      printableExcerpt(left, 40), printableExcerpt(right, 40)),
                          where);
        merges_[key(a, b)] = {rank, both};
    }

    std::vector<Symbol> symbolsOf(std::u32string_view word) const {
        std::vector<Symbol> symbols;
        for (std::size_t at = 0; at < word.size(); ++at) {
            std::int32_t id = idIn(ids_, std::u32string(1, word[at]));
            if (id < 0 && unknown_ < 0) continue;  // as `tokenizers`: nothing stands for the character
            const bool extends = id < 0 && fusesUnknown_ && wasUnknown(symbols, word, at);
            if (extends) {
                symbols.back().end = at + 1;
                continue;
            }
            if (id < 0) id = unknown_;
            symbols.push_back({id, at, at + 1, std::ssize(symbols) - 1, std::ssize(symbols) + 1});
        }
        if (!symbols.empty()) symbols.back().next = -1;
        return symbols;
    }

    bool wasUnknown(const std::vector<Symbol>& symbols, std::u32string_view word, std::size_t at) const {
        return !symbols.empty() && symbols.back().end == at && idIn(ids_, std::u32string(1, word[at - 1])) < 0;
    }

    void mergeAll(std::vector<Symbol>& symbols) const {
        std::priority_queue<Waiting> queue;
        const auto consider = [&](std::ptrdiff_t at) {
            if (at < 0 || symbols[static_cast<std::size_t>(at)].next < 0) return;
            const Symbol& left = symbols[static_cast<std::size_t>(at)];
            const auto found = merges_.find(key(left.id, symbols[static_cast<std::size_t>(left.next)].id));
            if (found != merges_.end()) queue.push({found->second.rank, at, found->second.id});
        };
        for (std::ptrdiff_t at = 0; at < std::ssize(symbols); ++at) consider(at);
        while (!queue.empty()) {
            const Waiting top = queue.top();
            queue.pop();
            Symbol& left = symbols[static_cast<std::size_t>(top.at)];
            if (left.end == left.begin || left.next < 0) continue;
            Symbol& right = symbols[static_cast<std::size_t>(left.next)];
            const auto found = merges_.find(key(left.id, right.id));
            if (found == merges_.end() || found->second.id != top.id) continue;  // another merge came first
            left.id = top.id;
            left.end = right.end;
            left.next = right.next;
            right.begin = right.end;
            if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].previous = top.at;
            consider(left.previous);
            consider(top.at);
        }
    }

    PieceIds ids_;
    std::unordered_map<std::uint64_t, Merge> merges_;
    bool fusesUnknown_ = false, prefersWhole_ = false;
};

/// The longest entry of `ids`, in characters.
std::size_t longestOf(const PieceIds& ids) {
    std::size_t longest = 0;
    for (const auto& [text, id] : ids) longest = std::max(longest, text.size());
    return longest;
}

class LongestPieces final : public SubwordModel {
public:
    LongestPieces(const Json& document, const std::string& where) {
        tokens_ = tokensById(document.at("vocab"), where);
        ids_ = idsOf(tokens_);
        unknown_ = unknownOf(document, ids_, where);
        if (unknown_ < 0) throwBadModel("it has no unk_token", where);
        mark_ = codePoints(document.value("continuing_subword_prefix", "##"));
        longestWord_ = document.value("max_input_chars_per_word", std::size_t{100});
        longest_ = longestOf(ids_);
    }

    void split(std::u32string_view word, std::vector<WordPart>& parts) const override {
        const std::size_t before = parts.size();
        bool covered = word.size() <= longestWord_;
        for (std::size_t at = 0; covered && at < word.size();) {
            std::u32string piece(at > 0 ? mark_ : U"");
            const std::size_t marks = piece.size();
            piece.append(word.substr(at, longest_));
            std::int32_t id = -1;
            while (piece.size() > marks && (id = idIn(ids_, piece)) < 0) piece.pop_back();
            covered = id >= 0;
            parts.push_back({id, at, at + piece.size() - marks});
            at += piece.size() - marks;
        }
        if (covered) return;
        parts.resize(before);
        parts.push_back({unknown_, 0, word.size()});
    }

private:
    PieceIds ids_;
    std::u32string mark_;
    std::size_t longestWord_ = 0, longest_ = 0;
};

class UnigramPieces final : public SubwordModel {
public:
    UnigramPieces(const Json& document, const std::string& where) {
        requireNone(document, "byte_fallback", where);
        double lowest = std::numeric_limits<double>::max();
        for (const Json& entry : document.at("vocab")) {
            tokens_.push_back(entry.at(0).get<std::string>());
            scores_.push_back(entry.at(1).get<double>());
            lowest = std::min(lowest, scores_.back());
        }
        for (std::size_t id = 0; id < tokens_.size(); ++id)  // of equal entries the last, as in `tokenizers`
            ids_[codePoints(tokens_[id])] = static_cast<std::int32_t>(id);
        ids_.erase(U"");
        longest_ = longestOf(ids_);
        const Json unknown = document.value("unk_id", Json());
        if (unknown.is_null()) throwUnsupported("a unigram model without unk_id", where);
        unknown_ = unknown.get<std::int32_t>();
        if (unknown_ < 0 || unknown_ >= std::ssize(tokens_)) throwBadModel("its unk_id is not in the vocabulary", where);
        constexpr double kPenalty = 10;
        unknownScore_ = lowest - kPenalty;
    }

    void split(std::u32string_view word, std::vector<WordPart>& parts) const override {
        const std::vector<Node> best = bestPath(word);
        const std::size_t before = parts.size();
        for (std::size_t end = word.size(); end > 0; end = best[end].begin) {
            const Node& node = best[end];
            const bool extends = node.id == unknown_ && parts.size() > before && parts.back().id == unknown_;
            if (extends)
                parts.back().begin = node.begin;
            else
                parts.push_back({node.id, node.begin, end});
        }
        std::reverse(parts.begin() + static_cast<std::ptrdiff_t>(before), parts.end());
    }

private:
    struct Node {
        std::int32_t id = -1;
        double score = 0;
        std::size_t begin = 0;
    };

    /// For each end the best last piece.
    std::vector<Node> bestPath(std::u32string_view word) const {
        std::vector<Node> best(word.size() + 1);
        const auto offer = [&](std::size_t begin, std::size_t end, std::int32_t id, double score) {
            const double sum = best[begin].score + score;
            if (best[end].id < 0 || sum > best[end].score) best[end] = {id, sum, begin};
        };
        for (std::size_t begin = 0; begin < word.size(); ++begin) {
            bool single = false;
            for (std::size_t length = 1; length <= std::min(longest_, word.size() - begin); ++length) {
                const std::int32_t id = idIn(ids_, std::u32string(word.substr(begin, length)));
                if (id < 0) continue;
                offer(begin, begin + length, id, scores_[static_cast<std::size_t>(id)]);
                single = single || length == 1;
            }
            if (!single) offer(begin, begin + 1, unknown_, unknownScore_);
        }
        return best;
    }

    PieceIds ids_;
    std::vector<double> scores_;
    double unknownScore_ = 0;
    std::size_t longest_ = 0;
};

}  // namespace

std::unique_ptr<const SubwordModel> readSubwordModel(const Json& document, const std::string& where) {
    // Files of old versions name no type; the members tell it.
    std::string type = document.value("type", "");
    if (type.empty()) type = document.contains("merges") ? "BPE" : document.contains("unk_id") ? "Unigram" : "WordPiece";
    if (type == "BPE") return std::make_unique<BytePairs>(document, where);
    if (type == "WordPiece") return std::make_unique<LongestPieces>(document, where);
    if (type == "Unigram") return std::make_unique<UnigramPieces>(document, where);
    throwUnsupported("the model " + printable(type), where);
}

}  // namespace heddle
