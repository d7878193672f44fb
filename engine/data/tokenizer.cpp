// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizer.h"

#include "engine/data/sentencepiece_tokenizer.h"
#include "engine/data/text_file.h"
#include "engine/data/word_tokenizer.h"
#include "engine/spec/error.h"
#include "engine/spec/json.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace heddle {
namespace {

std::string readBytes(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.good() && !stream.eof()) throwInvalid("cannot be read", path.string(), "check your rights to the file");
    return bytes;
}

}  // namespace

const std::vector<std::string>& specialTokens() {
    static const std::vector<std::string> tokens{"<unk>", "<pad>", "<sos>", "<eos>"};
    return tokens;
}

std::shared_ptr<const Tokenizer> trainTokenizer(const std::vector<std::string>& lines, const TokenizerSpec& spec) {
    if (spec.kind == "words") return trainWords(lines, spec);
    if (spec.kind == "sentencepiece") return trainSentencePiece(lines, spec);
    throwInvalid("unknown value \"" + spec.kind + "\"", "data.tokenizer.kind", "use words or sentencepiece");
}

std::shared_ptr<const Tokenizer> tokenizerFromSaved(const std::string& saved, const std::string& where) {
    // A vocabulary is a JSON object, a SentencePiece model a protocol buffer whose first byte tags its pieces.
    if (saved.starts_with('{')) return wordsFromJson(parseJson(saved, where), where);
    return sentencePieceFromModel(saved, where);
}

std::shared_ptr<const Tokenizer> loadTokenizer(const std::string& folder, const std::string& name) {
    for (const char* extension : {".json", ".model"}) {
        const std::filesystem::path path = std::filesystem::path(folder) / (name + extension);
        if (std::filesystem::is_regular_file(path)) return tokenizerFromSaved(readBytes(path), path.string());
    }
    throwInvalid("no tokenizer \"" + name + "\"", folder, "name a folder that a run or `heddle tokenizer train` has written");
}

}  // namespace heddle
