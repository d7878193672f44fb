// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sentencepiece_tokenizer.h"

#include "engine/data/cache_file.h"
#include "engine/metrics/unicode.h"
#include "engine/spec/error.h"
#include "engine/spec/json.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <string_view>
#include <unordered_map>

namespace heddle {
namespace {

namespace sp = sentencepiece;

/// Says in a model that text is lower-cased before it. A field of the model's protocol buffer (number 201, length-delimited)
/// that other programs skip, at its end. SentencePiece's own case folding is not used because it also rewrites ß to ss.
constexpr std::string_view kLowerField = "\xCA\x0C\x0Cheddle:lower";

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

class SentencePieceTokenizer final : public Tokenizer {
public:
    SentencePieceTokenizer(std::string model, const std::string& where)
        : model_(std::move(model)), lower_(model_.ends_with(kLowerField)) {
        const sp::util::Status status = processor_.LoadFromSerializedProto(model_);
        if (!status.ok())
            throwInvalid(fmt::format("is not a SentencePiece model: {}", status.ToString()), where,
                         "use a file that Heddle saved");
        for (std::int32_t id = 0; id < kSpecials; ++id)
            if (processor_.GetPieceSize() <= id || processor_.IdToPiece(id) != specialTokens()[static_cast<std::size_t>(id)])
                throwInvalid("its pieces 0 to 3 are not <unk> <pad> <sos> <eos>", where, "train the model with Heddle");
    }

    std::int64_t size() const override { return processor_.GetPieceSize(); }

    std::vector<std::int32_t> encode(const std::string& line) const override {
        std::vector<int> ids;
        check(processor_.Encode(lower_ ? toLower(line) : line, &ids), "encoding");
        return {ids.begin(), ids.end()};
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::vector<int> kept;
        for (const std::int32_t id : ids) {
            checkId(id);
            if (id == kUnk || id >= kSpecials) kept.push_back(id);
        }
        std::string text;
        check(processor_.Decode(kept, &text), "decoding");
        return text;
    }

    std::string token(std::int32_t id) const override {
        checkId(id);
        return processor_.IdToPiece(id);
    }

    std::vector<std::string> tokens(const std::string& line) const override {
        std::vector<std::string> pieces;
        for (const std::int32_t id : encode(line)) pieces.push_back(token(id));
        return pieces;
    }

    std::string hash() const override { return sha256Hex(model_); }
    std::string saved() const override { return model_; }
    void save(const std::string& folder, const std::string& name) const override {
        writeFileAtomically(folder + "/" + name + ".model", model_);
    }

private:
    void checkId(std::int32_t id) const {
        if (id < 0 || id >= size())
            throwInvalid(fmt::format("no token {}", id), "vocabulary", fmt::format("ids are below {}", size()));
    }

    static void check(const sp::util::Status& status, const std::string& what) {
        if (!status.ok())
            throw Error(ErrorCode::Failure, status.ToString(), "SentencePiece, " + what, "report this text as a bug");
    }

    std::string model_;
    bool lower_;
    sp::SentencePieceProcessor processor_;
};

/// SentencePiece's messages carry the place in its source: "Internal: src/x.cc(590) [condition] What a user can read".
std::string readable(const std::string& message) {
    const std::size_t condition = message.rfind("] ");
    return condition == std::string::npos ? message : message.substr(condition + 2);
}

}  // namespace

std::shared_ptr<const Tokenizer> trainSentencePiece(const std::vector<std::string>& lines, const TokenizerSpec& spec) {
    const std::unordered_map<std::string, std::string> arguments{{"model_type", spec.model},
                                                                 {"vocab_size", std::to_string(spec.vocabSize)},
                                                                 {"num_threads", "1"},
                                                                 {"max_sentence_length", std::to_string(16 << 20)},
                                                                 {"unk_id", "0"},
                                                                 {"pad_id", "1"},
                                                                 {"bos_id", "2"},
                                                                 {"eos_id", "3"},
                                                                 {"unk_piece", "<unk>"},
                                                                 {"pad_piece", "<pad>"},
                                                                 {"bos_piece", "<sos>"},
                                                                 {"eos_piece", "<eos>"},
                                                                 {"unk_surface", " <unk> "},
                                                                 {"minloglevel", "2"}};
    LineIterator iterator(lines, spec.lower);
    std::string model;
    const sp::util::Status status = sp::SentencePieceTrainer::Train(arguments, &iterator, &model);
    if (!status.ok())
        throwInvalid(fmt::format("SentencePiece cannot train {} pieces on {} lines: {}", spec.vocabSize, lines.size(),
                                 readable(status.ToString())),
                     "data.tokenizer.vocab_size", "change the number of pieces, or train on more text");
    if (spec.lower) model.append(kLowerField);
    return sentencePieceFromModel(model, "trained model");
}

std::shared_ptr<const Tokenizer> sentencePieceFromModel(const std::string& model, const std::string& where) {
    return std::make_shared<SentencePieceTokenizer>(model, where);
}

}  // namespace heddle
