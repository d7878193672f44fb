// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/wordpiece_tokenizer.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/unicode.h"
#include "engine/data/tokenizers/bert_text.h"
#include "engine/data/tokenizers/places.h"
#include "engine/data/tokenizers/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr const char* kSchema = "heddle.wordpiece/1";

bool isSpecial(const std::string& entry) {
    const auto& specials = wordPieceSpecials();
    return std::find(specials.begin(), specials.end(), entry) != specials.end();
}

/// The entries of vocab.txt without special tokens: our ids after the special tokens.
std::vector<std::string> entriesOf(const std::vector<std::string>& vocab) {
    std::vector<std::string> entries;
    std::copy_if(vocab.begin(), vocab.end(), std::back_inserter(entries), [](const auto& entry) { return !isSpecial(entry); });
    return entries;
}

bool startsCharacter(std::string_view text, std::size_t at) {
    return at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

class WordPieceTokenizer final : public PlacingTokenizer {
public:
    WordPieceTokenizer(std::vector<std::string> vocab, bool lower)
        : lower_(lower), vocab_(std::move(vocab)), vocabulary_(wordPieceSpecials(), entriesOf(vocab_)) {
        for (const std::string& special : wordPieceSpecials())
            publisherIds_.push_back(
                static_cast<std::int32_t>(std::find(vocab_.begin(), vocab_.end(), special) - vocab_.begin()));
        for (std::size_t line = 0; line < vocab_.size(); ++line) {
            longest_ = std::max(longest_, vocab_[line].size());
            if (!isSpecial(vocab_[line])) publisherIds_.push_back(static_cast<std::int32_t>(line));
        }
    }

    std::int64_t size() const override { return vocabulary_.size(); }

    std::vector<std::int32_t> encode(const std::string& line) const override {
        std::vector<std::int32_t> ids;
        std::string_view rest = line;
        while (!rest.empty()) {
            const auto [at, special] = nextSpecial(rest);
            for (const std::string& word : bertWords(rest.substr(0, at), casing()))
                for (const Piece& piece : piecesOf(word)) ids.push_back(piece.id);
            if (special < 0) break;
            ids.push_back(special);
            rest.remove_prefix(at + wordPieceSpecials()[static_cast<std::size_t>(special)].size());
        }
        return ids;
    }

    std::vector<PlacedToken> places(const std::string& line) const override {
        std::vector<PlacedToken> placed;
        std::string_view rest = line;
        std::int32_t begun = 0;  // characters before the rest
        while (!rest.empty()) {
            const auto [at, special] = nextSpecial(rest);
            for (const PlacedWord& word : placedBertWords(rest.substr(0, at), casing())) placePieces(word, begun, placed);
            if (special < 0) break;
            begun += static_cast<std::int32_t>(countCodePoints(rest.substr(0, at)));
            const auto length = static_cast<std::int32_t>(wordPieceSpecials()[static_cast<std::size_t>(special)].size());
            placed.push_back({special, begun, begun + length});
            begun += length;
            rest.remove_prefix(at + static_cast<std::size_t>(length));
        }
        return placed;
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::string text;
        for (const std::int32_t id : ids) {
            if (id > kUnk && id < specials()) continue;
            std::string_view piece = vocabulary_.token(id);
            if (piece.starts_with(kContinuing) && piece.size() > 2)
                piece.remove_prefix(2);
            else if (!text.empty())
                text.push_back(' ');
            text.append(piece);
        }
        return text;
    }

    std::string token(std::int32_t id) const override { return vocabulary_.token(id); }

    std::string saved() const override {
        return canonicalJson(Json{{"schema", kSchema}, {"lower", lower_}, {"vocab", vocab_}});
    }

    std::int32_t maskId() const override { return kMask; }
    std::shared_ptr<const Tokenizer> withMask() const override { return std::make_shared<WordPieceTokenizer>(vocab_, lower_); }
    std::int32_t publisherId(std::int32_t id) const override {
        checkTokenId(id, size());
        return publisherIds_[static_cast<std::size_t>(id)];
    }
    TokenizerSpec spec() const override {
        TokenizerSpec spec;
        spec.kind = TokenizerKind::WordPiece;
        spec.lower = lower_;
        spec.mask = true;
        return spec;
    }

private:
    /// Offset and id of the first special token of a text; the text's end and -1 if there is none.
    static std::pair<std::size_t, std::int32_t> nextSpecial(std::string_view text) {
        for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1))
            for (std::size_t id = 0; id < wordPieceSpecials().size(); ++id)
                if (text.substr(at).starts_with(wordPieceSpecials()[id])) return {at, static_cast<std::int32_t>(id)};
        return {text.size(), -1};
    }

    Casing casing() const { return lower_ ? Casing::Lower : Casing::Keep; }

    struct Piece {
        std::int32_t id = 0;
        std::size_t bytes = 0;  ///< of the word
    };

    /// The pieces of a word; <unk> for all of it if they do not cover it.
    std::vector<Piece> piecesOf(std::string_view word) const {
        std::vector<Piece> pieces;
        bool covered =
            word.size() <= kLongestWordPieceWord || countCodePoints(word) <= static_cast<std::int64_t>(kLongestWordPieceWord);
        for (std::size_t at = 0; covered && at < word.size();) {
            const auto [id, length] = longestPiece(word, at);
            covered = length > 0;
            pieces.push_back({id, length});
            at += length;
        }
        if (!covered) pieces.assign(1, {kUnk, word.size()});
        return pieces;
    }

    void placePieces(const PlacedWord& word, std::int32_t begun, std::vector<PlacedToken>& placed) const {
        std::size_t byte = 0, first = 0;  // of the piece; its first character in the word
        for (const auto& [id, bytes] : piecesOf(word.text)) {
            const auto count = static_cast<std::size_t>(countCodePoints(std::string_view(word.text).substr(byte, bytes)));
            placed.push_back({id, begun + word.characters[first].begin, begun + word.characters[first + count - 1].end});
            byte += bytes;
            first += count;
        }
    }

    /// Id and length of the longest piece at `at`; length 0: none.
    std::pair<std::int32_t, std::size_t> longestPiece(std::string_view word, std::size_t at) const {
        std::string piece(at > 0 ? kContinuing : "");
        const std::size_t marks = piece.size();
        piece.append(word.substr(at, longest_));
        for (std::size_t length = piece.size() - marks; length > 0; --length) {
            if (!startsCharacter(word, at + length)) continue;
            piece.resize(marks + length);
            if (const std::int32_t id = vocabulary_.idOf(piece); id != kUnk) return {id, length};
        }
        return {kUnk, 0};
    }

    bool lower_;
    std::vector<std::string> vocab_;  ///< in the publisher's order
    Vocabulary vocabulary_;
    std::vector<std::int32_t> publisherIds_;
    std::size_t longest_ = 0;  ///< bytes of the longest entry
};

}  // namespace

const std::vector<std::string>& wordPieceSpecials() {
    static const std::vector<std::string> specials{"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]"};
    return specials;
}

std::shared_ptr<const Tokenizer> wordPieceFromVocab(std::vector<std::string> vocab, const TokenizerSpec& spec,
                                                    const std::string& where) {
    for (const std::string& special : wordPieceSpecials()) {
        const auto count = std::count(vocab.begin(), vocab.end(), special);
        if (count != 1)
            throwInvalid(fmt::format("the vocabulary has {} line{} {}", count, count == 1 ? "" : "s", special), where,
                         "use a vocab.txt of BERT: one entry per line, with [UNK] [PAD] [CLS] [SEP] [MASK] once each");
    }
    return std::make_shared<WordPieceTokenizer>(std::move(vocab), spec.lower);
}

std::shared_ptr<const Tokenizer> wordPieceFromJson(const Json& document, const std::string& where) {
    TokenizerSpec spec;
    std::vector<std::string> vocab;
    try {
        if (document.at("schema") != kSchema)
            throwInvalid("not a Heddle vocabulary", where, "its \"schema\" is unknown to this version");
        document.at("lower").get_to(spec.lower);
        document.at("vocab").get_to(vocab);
    } catch (const Json::exception& error) {
        throwInvalid(fmt::format("not a Heddle vocabulary: {}", error.what()), where, "use a file written by Heddle");
    }
    return wordPieceFromVocab(std::move(vocab), spec, where);
}

}  // namespace heddle
