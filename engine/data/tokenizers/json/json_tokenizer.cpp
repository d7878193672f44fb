// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/json/json_tokenizer.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/data/tokenizers/json/added_tokens.h"
#include "engine/data/tokenizers/json/decoder.h"
#include "engine/data/tokenizers/json/pieces.h"
#include "engine/data/tokenizers/json/step.h"
#include "engine/data/tokenizers/places.h"
#include "engine/data/tokenizers/vocabulary.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

namespace heddle {
namespace {

/// The names that published tokenizers give our special tokens, by id from <pad> on.
constexpr std::initializer_list<const char*> kKnownSpecials[] = {
    {"[PAD]", "<pad>"}, {"[CLS]", "<s>", "<bos>"}, {"[SEP]", "</s>", "<eos>", "<|endoftext|>"}, {"[MASK]", "<mask>"}};

/// What a tokenizer.json says.
struct TokenizerFile {
    TokenizerFile(const Json& document, const std::string& where) {
        model = readSubwordModel(document.at("model"), where);
        normalise = readNormaliser(document.value("normalizer", Json()), where);
        split = readSplit(document.value("pre_tokenizer", Json()), where);
        join = readDecoder(document.value("decoder", Json()), where);
        tokens = model->tokens();
        for (const Json& one : document.value("added_tokens", Json::array())) addToken(one, where);
    }

    std::unique_ptr<const SubwordModel> model;
    Normalise normalise;
    SplitText split;
    JoinTokens join;
    std::vector<std::string> tokens;   ///< by id
    TokenFinder given, normal;         ///< tokens found in the text as it is, and after the normaliser
    std::vector<AddedToken> specials;  ///< those marked special

private:
    void addToken(const Json& document, const std::string& where) {
        const AddedToken token = readAddedToken(document, where);
        const auto id = static_cast<std::size_t>(token.id);
        if (token.id < 0 || id > tokens.size() || (id < tokens.size() && tokens[id] != token.content))
            throwDamaged(fmt::format("the added token {} neither follows the vocabulary nor is in it", token.id), where);
        if (id == tokens.size()) tokens.push_back(token.content);
        if (document.value("normalized", !token.isSpecial))
            normal.add(normalise(originText(token.content)).characters, token);
        else
            given.add(codePoints(token.content), token);
        if (token.isSpecial) specials.push_back(token);
    }
};

class JsonTokenizer final : public PlacingTokenizer {
public:
    JsonTokenizer(Json document, bool mask, const std::string& where) : file_(document, where), document_(std::move(document)) {
        mapIds(mask);
        saved_ = canonicalJson(Json{{"schema", kTokenizerJsonSchema}, {"mask", mask_}, {"tokenizer", document_}});
    }

    std::int64_t size() const override { return std::ssize(publisherIds_); }

    std::vector<std::int32_t> encode(const std::string& line) const override {
        std::vector<std::int32_t> ids;
        for (const PlacedToken& token : places(line)) ids.push_back(token.id);
        return ids;
    }

    std::vector<PlacedToken> places(const std::string& line) const override {
        std::vector<PlacedToken> placed;
        const OriginText text = originText(line);
        for (TextOrToken& part : file_.given.split(text)) {
            if (const auto* token = std::get_if<FoundToken>(&part)) {
                place(*token, placed);
                continue;
            }
            const std::int32_t begin = std::get<OriginText>(part).begin;
            OriginText normal = file_.normalise(std::get<OriginText>(std::move(part)));
            normal.begin = begin;
            for (TextOrToken& found : file_.normal.split(normal)) {
                if (const auto* token = std::get_if<FoundToken>(&found))
                    place(*token, placed);
                else
                    placeWords(std::get<OriginText>(std::move(found)), text, placed);
            }
        }
        return placed;
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::vector<std::string> tokens;
        for (const std::int32_t id : ids)
            if (id == kUnk || id >= specials()) tokens.push_back(token(id));
        return file_.join(tokens);
    }

    std::string token(std::int32_t id) const override {
        const std::int32_t theirs = publisherId(id);
        return theirs < 0 ? specialTokens(MaskToken::With)[static_cast<std::size_t>(id)]
                          : file_.tokens[static_cast<std::size_t>(theirs)];
    }

    std::string saved() const override { return saved_; }
    std::int32_t maskId() const override { return mask_ ? kMask : -1; }
    std::shared_ptr<const Tokenizer> withMask() const override {
        return std::make_shared<JsonTokenizer>(document_, true, "tokenizer with <mask>");
    }
    std::int32_t publisherId(std::int32_t id) const override {
        checkTokenId(id, size());
        return publisherIds_[static_cast<std::size_t>(id)];
    }
    TokenizerSpec spec() const override {
        TokenizerSpec spec;
        spec.kind = TokenizerKind::JsonFile;
        spec.mask = mask_;
        return spec;
    }

private:
    /// Special tokens come first, even without one of the file, then the file's other tokens in order.
    void mapIds(bool mask) {
        publisherIds_ = {file_.model->unknown()};
        for (const auto& names : kKnownSpecials) publisherIds_.push_back(specialNamed(names));
        mask_ = mask || publisherIds_[kMask] >= 0;
        if (!mask_) publisherIds_.pop_back();
        ours_.assign(file_.tokens.size(), -1);
        for (std::size_t id = 0; id < publisherIds_.size(); ++id)
            if (publisherIds_[id] >= 0) ours_[static_cast<std::size_t>(publisherIds_[id])] = static_cast<std::int32_t>(id);
        for (std::size_t theirs = 0; theirs < ours_.size(); ++theirs) {
            if (ours_[theirs] >= 0) continue;
            ours_[theirs] = static_cast<std::int32_t>(publisherIds_.size());
            publisherIds_.push_back(static_cast<std::int32_t>(theirs));
        }
    }

    /// The id of the special token with the first of these names, unless it is the unknown token; -1: none.
    std::int32_t specialNamed(std::initializer_list<const char*> names) const {
        for (const char* name : names)
            for (const AddedToken& token : file_.specials)
                if (token.content == name && token.id != file_.model->unknown()) return token.id;
        return -1;
    }

    void place(const FoundToken& token, std::vector<PlacedToken>& placed) const {
        placed.push_back({ours_[static_cast<std::size_t>(token.id)], token.place.begin, token.place.end});
    }

    void placeWords(OriginText part, const OriginText& line, std::vector<PlacedToken>& placed) const {
        std::vector<OriginText> words;
        file_.split(std::move(part), words);
        std::vector<WordPart> parts;
        for (const OriginText& word : words) {
            parts.clear();
            file_.model->split(word.characters, parts);
            for (const WordPart& one : parts) {
                CharacterRange place = word.origin(one.begin, one.end);
                // A piece that begins a word stands for the space before it, too; the word alone can be an answer.
                while (place.begin + 1 < place.end && isUnicodeSpace(line.characters[static_cast<std::size_t>(place.begin)]))
                    ++place.begin;
                placed.push_back({ours_[static_cast<std::size_t>(one.id)], place.begin, place.end});
            }
        }
    }

    TokenizerFile file_;
    Json document_;
    bool mask_ = false;
    std::string saved_;
    std::vector<std::int32_t> publisherIds_, ours_;
};

}  // namespace

bool isTokenizerJson(const Json& document) {
    return document.is_object() && (document.value("schema", Json()) == kTokenizerJsonSchema ||
                                    (document.contains("model") && document.contains("added_tokens")));
}

std::shared_ptr<const Tokenizer> readTokenizerJson(const Json& document, const std::string& where) {
    try {
        const bool isSaved = document.contains("schema");
        return std::make_shared<JsonTokenizer>(isSaved ? document.at("tokenizer") : document,
                                               isSaved && document.at("mask").get<bool>(), where);
    } catch (const Json::exception& error) {
        throwDamaged(fmt::format("not a tokenizer.json that can be read: {}", error.what()), where);
    }
}

}  // namespace heddle
