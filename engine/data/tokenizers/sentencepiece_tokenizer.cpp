// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/sentencepiece_tokenizer.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/unicode.h"
#include "engine/data/tokenizers/places.h"
#include "engine/data/tokenizers/vocabulary.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <string_view>
#include <unordered_map>

namespace heddle {
namespace {

namespace sp = sentencepiece;

/// Marks a model whose input is lower-cased: a field at the end of its protocol buffer (number 201, length-delimited) that
/// other programs skip. SentencePiece's own case folding is not used because it also rewrites ß to ss.
constexpr std::string_view kLowerField = "\xCA\x0C\x0Cheddle:lower";
/// Likewise, before that field: marks a vocabulary with <mask>.
constexpr std::string_view kMaskField = "\xCA\x0C\x0Bheddle:mask";

/// Without spaces at the beginning.
std::string_view trimLeft(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\n\r");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

class LineIterator final : public sp::SentenceIterator {
public:
    LineIterator(const std::vector<std::string>& lines, bool lower) : lines_(lines), lower_(lower) { fetch(); }
    bool done() const override { return at_ == lines_.size(); }
    void Next() override {
        ++at_;
        fetch();
    }
    const std::string& value() const override { return value_; }
    sp::util::Status status() const override { return {}; }

private:
    void fetch() {
        if (!done()) value_ = lower_ ? toLower(lines_[at_]) : lines_[at_];
    }

    const std::vector<std::string>& lines_;
    bool lower_;
    std::size_t at_ = 0;
    std::string value_;
};

/// The model's pieces for our special tokens, by role, or by name if the piece is reserved; -1: none.
std::vector<int> specialPieces(const sp::SentencePieceProcessor& model) {
    const auto named = [&](int role, std::initializer_list<const char*> names) {
        if (role >= 0) return role;
        for (const char* name : names)
            if (const int id = model.PieceToId(name); model.IsControl(id)) return id;
        return -1;
    };
    return {model.unk_id(), named(model.pad_id(), {kSpecialTokens[kPad], "[PAD]"}),
            named(model.bos_id(), {kSpecialTokens[kSos], "<s>", "[CLS]"}),
            named(model.eos_id(), {kSpecialTokens[kEos], "</s>", "[SEP]"}), named(-1, {kMaskToken, "[MASK]"})};
}

/// Removes the source location from a message: "Internal: src/x.cc(590) [condition] What a user can read".
std::string readable(const std::string& message) {
    const std::size_t condition = message.rfind("] ");
    return condition == std::string::npos ? message : message.substr(condition + 2);
}

class SentencePieceTokenizer final : public PlacingTokenizer {
public:
    SentencePieceTokenizer(std::string model, const std::string& where) : model_(std::move(model)) {
        std::string_view plain = model_;
        spec_.kind = TokenizerKind::SentencePiece;
        for (const auto& [field, flag] : {std::pair{kLowerField, &spec_.lower}, {kMaskField, &spec_.mask}}) {
            *flag = plain.ends_with(field);
            if (*flag) plain.remove_suffix(field.size());
        }
        checkSentencePieceModel(model_, where);
        const sp::util::Status status = processor_.LoadFromSerializedProto(model_);
        if (!status.ok())
            throwInvalid(fmt::format("not a SentencePiece model: {}", readable(status.ToString())), where,
                         "use a model written by Heddle or SentencePiece");
        mapIds();
    }

    std::int64_t size() const override { return static_cast<std::int64_t>(modelIds_.size()); }

    std::vector<std::int32_t> encode(const std::string& line) const override {
        std::vector<int> ids;
        check(processor_.Encode(spec_.lower ? toLower(line) : line, &ids), "encoding");
        for (int& id : ids) id = ours_[static_cast<std::size_t>(id)];
        return {ids.begin(), ids.end()};
    }

    std::vector<PlacedToken> places(const std::string& line) const override {
        const TracedText text(line, spec_.lower);
        const std::string given = spec_.lower ? toLower(line) : line;
        std::vector<PlacedToken> placed;
        const sp::ImmutableSentencePieceText encoded = processor_.EncodeAsImmutableProto(given);
        for (const auto& piece : encoded.pieces()) {
            // A piece that begins a word stands for the space before it, too; the word alone can be an answer.
            std::size_t begin = piece.begin();
            const std::size_t end = piece.end();
            const std::string_view covered = std::string_view(given).substr(begin, end - begin);
            const std::size_t blank = covered.size() - trimLeft(covered).size();
            begin += blank < covered.size() ? blank : 0;
            const std::int32_t from = text.originOfByte(begin);
            placed.push_back({ours_[piece.id()], from, end > begin ? text.originOfByte(end - 1) + 1 : from});
        }
        return placed;
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::vector<int> kept;
        for (const std::int32_t id : ids) {
            checkTokenId(id, size());
            if (id == kUnk || id >= specials()) kept.push_back(publisherId(id));
        }
        std::string text;
        check(processor_.Decode(kept, &text), "decoding");
        return text;
    }

    std::string token(std::int32_t id) const override {
        checkTokenId(id, size());
        if (id < specials()) return specialTokens(MaskToken::With)[static_cast<std::size_t>(id)];
        return processor_.IdToPiece(publisherId(id));
    }

    std::string saved() const override { return model_; }
    void save(const std::string& folder, const std::string& name) const override {
        writeFileAtomically(folder + "/" + name + ".model", model_);
    }

    std::int32_t maskId() const override { return spec_.mask ? kMask : -1; }
    std::shared_ptr<const Tokenizer> withMask() const override {
        std::string masked = model_;
        if (!spec_.mask) masked.insert(masked.size() - (spec_.lower ? kLowerField.size() : 0), kMaskField);
        return std::make_shared<SentencePieceTokenizer>(std::move(masked), "model with <mask>");
    }
    std::int32_t publisherId(std::int32_t id) const override {
        checkTokenId(id, size());
        return modelIds_[static_cast<std::size_t>(id)];
    }
    TokenizerSpec spec() const override { return spec_; }

private:
    /// Special tokens come first, even without a piece, then the model's other pieces in order. For a model trained by Heddle
    /// without <mask> the ids are the model's own.
    void mapIds() {
        const int pieces = processor_.GetPieceSize();
        std::vector<int> special = specialPieces(processor_);
        // A publisher's mask piece has no other use, so it becomes <mask> even if not requested.
        if (special[kMask] >= 0) spec_.mask = true;
        special.resize(static_cast<std::size_t>(specials()));
        modelIds_ = special;
        ours_.assign(static_cast<std::size_t>(pieces), -1);
        for (std::size_t id = 0; id < special.size(); ++id)
            if (special[id] >= 0) ours_[static_cast<std::size_t>(special[id])] = static_cast<std::int32_t>(id);
        for (int piece = 0; piece < pieces; ++piece) {
            if (ours_[static_cast<std::size_t>(piece)] >= 0) continue;
            ours_[static_cast<std::size_t>(piece)] = static_cast<std::int32_t>(modelIds_.size());
            modelIds_.push_back(piece);
        }
    }

    static void check(const sp::util::Status& status, const std::string& what) {
        if (!status.ok())
            throwInvalid(readable(status.ToString()), "SentencePiece, " + what, "use another tokenizer, or remove the text");
    }

    std::string model_;
    TokenizerSpec spec_;
    sp::SentencePieceProcessor processor_;
    std::vector<std::int32_t> modelIds_;  ///< model id for each of our ids; -1: none
    std::vector<std::int32_t> ours_;
};

}  // namespace

std::shared_ptr<const Tokenizer> trainSentencePiece(const std::vector<std::string>& lines, const TokenizerSpec& spec) {
    const std::unordered_map<std::string, std::string> arguments{
        {"model_type", wordOf(spec.model)},
        {"vocab_size", std::to_string(spec.vocabSize - (spec.mask ? 1 : 0))},
        {"num_threads", "1"},
        {"max_sentence_length", std::to_string(16 << 20)},
        {"unk_id", std::to_string(kUnk)},
        {"pad_id", std::to_string(kPad)},
        {"bos_id", std::to_string(kSos)},
        {"eos_id", std::to_string(kEos)},
        {"unk_piece", kSpecialTokens[kUnk]},
        {"pad_piece", kSpecialTokens[kPad]},
        {"bos_piece", kSpecialTokens[kSos]},
        {"eos_piece", kSpecialTokens[kEos]},
        {"unk_surface", fmt::format(" {} ", kSpecialTokens[kUnk])},
        {"minloglevel", "2"}};
    LineIterator iterator(lines, spec.lower);
    std::string model;
    const sp::util::Status status = sp::SentencePieceTrainer::Train(arguments, &iterator, &model);
    if (!status.ok())
        throwInvalid(fmt::format("SentencePiece cannot train {} pieces on {} lines: {}", spec.vocabSize, lines.size(),
                                 readable(status.ToString())),
                     "data.tokenizer.vocab_size",
                     fmt::format("change the number of pieces{}, or train on more text", spec.mask ? " (one is <mask>)" : ""));
    if (spec.mask) model.append(kMaskField);
    if (spec.lower) model.append(kLowerField);
    return sentencePieceFromModel(model, "trained model");
}

std::shared_ptr<const Tokenizer> sentencePieceFromModel(const std::string& model, const std::string& where) {
    return std::make_shared<SentencePieceTokenizer>(model, where);
}

std::string lowerCasing(const std::string& model) {
    return model.ends_with(kLowerField) ? model : model + std::string(kLowerField);
}

}  // namespace heddle
