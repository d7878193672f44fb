// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/tokenizer.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/data/readers/text_file.h"
#include "engine/data/tokenizers/json/json_tokenizer.h"
#include "engine/data/tokenizers/list_tokenizer.h"
#include "engine/data/tokenizers/sentencepiece_tokenizer.h"
#include "engine/data/tokenizers/wordpiece_tokenizer.h"

#include <fmt/format.h>

#include <filesystem>

namespace heddle {
namespace {

std::shared_ptr<const Tokenizer> fromJson(const Json& document, const std::string& where) {
    const auto schema = document.find("schema");
    if (schema != document.end() && *schema == characterForm().schema) return listFromJson(characterForm(), document, where);
    if (schema != document.end() && *schema == "heddle.wordpiece/1") return wordPieceFromJson(document, where);
    if (isTokenizerJson(document)) return readTokenizerJson(document, where);
    return listFromJson(wordForm(), document, where);
}

/// A vocab.txt is recognised by its [UNK] line: a SentencePiece model contains line feeds only by chance, a saved vocabulary
/// none.
bool isVocabText(std::string_view bytes) {
    const std::string_view line = "[UNK]";
    for (std::size_t at = bytes.find(line); at != std::string_view::npos; at = bytes.find(line, at + 1)) {
        const bool begins = at == 0 || bytes[at - 1] == '\n' || bytes[at - 1] == '\r';
        const std::string_view rest = bytes.substr(at + line.size());
        if (begins && (rest.empty() || rest.starts_with('\n') || rest.starts_with('\r'))) return true;
    }
    return false;
}

}  // namespace

std::vector<std::string> Tokenizer::tokens(const std::string& line) const {
    std::vector<std::string> result;
    for (const std::int32_t id : encode(line)) result.push_back(token(id));
    return result;
}

std::string Tokenizer::hash() const { return sha256Hex(saved()); }

void Tokenizer::save(const std::string& folder, const std::string& name) const {
    writeFileAtomically(folder + "/" + name + ".json", saved());
}

const std::string& givenFile(const TokenizerSpec& spec) { return spec.file.empty() ? spec.vocab : spec.file; }

std::shared_ptr<const Tokenizer> trainTokenizer(const std::vector<std::string>& lines, const TokenizerSpec& spec) {
    if (!givenFile(spec).empty()) return readTokenizer(givenFile(spec), spec);
    switch (spec.kind) {
    case TokenizerKind::Auto: break;
    case TokenizerKind::Words: return trainList(wordForm(), lines, spec);
    case TokenizerKind::Characters: return trainList(characterForm(), lines, spec);
    case TokenizerKind::WordPiece: return trainWordPiece(lines, spec);
    case TokenizerKind::SentencePiece: return trainSentencePiece(lines, spec);
    case TokenizerKind::JsonFile:
        throwInvalid("a tokenizer of kind json is not trained", "data.tokenizer.kind",
                     "set data.tokenizer.file to a tokenizer.json, or use another kind");
    }
    TokenizerSpec chosen = spec;
    chosen.kind = hasSpaces(lines) ? TokenizerKind::Words : TokenizerKind::Characters;
    return trainTokenizer(lines, chosen);
}

std::string readRecordedFile(const std::string& path, const std::string& recorded) {
    std::string bytes = readWholeFile(path);
    if (recorded.empty()) return bytes;
    if (const std::string found = sha256Hex(bytes); found != recorded)
        throwInvalid(
            fmt::format(
                "the file differs from the one that the run was trained with: its SHA-256 is {:.12}…, the recorded one {:.12}…",
                found, recorded),
            path, "restore the file from a copy of the run; resuming a run recreates a missing file from its data");
    return bytes;
}

std::shared_ptr<const Tokenizer> tokenizerFromSaved(const std::string& saved, const std::string& where) {
    // A vocabulary is a JSON object, a SentencePiece model a protocol buffer whose first byte tags its pieces.
    if (saved.starts_with('{')) return fromJson(parseJson(saved, where), where);
    return sentencePieceFromModel(saved, where);
}

std::shared_ptr<const Tokenizer> loadTokenizer(const std::string& folder, const std::string& name,
                                               const std::string& recorded) {
    for (const char* extension : {".json", ".model"}) {
        const std::filesystem::path path = std::filesystem::path(folder) / (name + extension);
        if (std::filesystem::is_regular_file(path))
            return tokenizerFromSaved(readRecordedFile(path.string(), recorded), path.string());
    }
    throwInvalid("no such tokenizer: \"" + name + "\"", folder,
                 "give a folder written by a run or by `heddle tokenizer train`");
}

std::shared_ptr<const Tokenizer> readTokenizer(const std::string& path, const TokenizerSpec& spec) {
    if (!std::filesystem::is_regular_file(path))
        throwInvalid("no such file", path,
                     "give a tokenizer written by Heddle, a SentencePiece .model, a vocab.txt or a tokenizer.json");
    std::string bytes = readWholeFile(path);
    if (isVocabText(bytes)) return wordPieceFromVocab(readTextFile(path).lines, spec, path);
    const bool isModel = !bytes.starts_with('{');
    if (isModel && spec.lower) bytes = lowerCasing(bytes);
    auto tokenizer = tokenizerFromSaved(bytes, path);
    if (spec.lower && !tokenizer->spec().lower)
        throwInvalid("the tokenizer was trained without lower-casing", path,
                     "remove data.tokenizer.lower, or train the tokenizer again");
    return spec.mask && tokenizer->maskId() < 0 ? tokenizer->withMask() : tokenizer;
}

}  // namespace heddle
