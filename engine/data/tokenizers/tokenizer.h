// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/special_tokens.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// Converts between text and token ids. Ids 0…3 are <unk> <pad> <sos> <eos>, id 4 is <mask> if the vocabulary has it.
/// Immutable, thread-safe.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    virtual std::int64_t size() const = 0;
    virtual std::vector<std::int32_t> encode(const std::string& line) const = 0;  ///< without <sos>/<eos>
    /// Joined text; of the special tokens only <unk> is shown.
    virtual std::string decode(const std::vector<std::int32_t>& ids) const = 0;
    virtual std::string token(std::int32_t id) const = 0;                         ///< for labels of attention maps
    std::vector<std::string> tokens(const std::string& line) const;               ///< like encode, as text
    virtual std::string saved() const = 0;                                        ///< the contents of the file of save()
    std::string hash() const;                                                     ///< SHA-256 of saved()
    virtual void save(const std::string& folder, const std::string& name) const;  ///< "<name>.json" or "<name>.model"

    /// kMask, or -1: none. encode() never produces <mask> (except for [MASK] with WordPiece); tasks insert its id.
    virtual std::int32_t maskId() const { return -1; }
    /// The same tokenizer with <mask> at id 4 and later ids shifted by one; an equal tokenizer if it already has a mask.
    virtual std::shared_ptr<const Tokenizer> withMask() const = 0;
    /// The id in the publisher's file (vocab.txt, SentencePiece model, tokenizer.json) for our id; -1: none. Without such a
    /// file our id.
    virtual std::int32_t publisherId(std::int32_t id) const { return id; }
    /// kind, split, lower, min_count and mask of the saved form; other members have their defaults.
    virtual TokenizerSpec spec() const = 0;

    /// Number of special tokens, and the id of the first other token.
    std::int32_t specials() const;
};

inline std::int32_t Tokenizer::specials() const { return maskId() < 0 ? kSpecials : kSpecials + 1; }

/// Whether white space separates the words of a text, judged by its first lines. False if most characters are of a script
/// without spaces (Han, kana, Thai, Lao, Khmer, Burmese) and words average more than 4 characters, or if words of any script
/// average more than 25.
bool hasSpaces(const std::vector<std::string>& lines);

/// Trains on text lines, with <mask> if spec.mask. The result depends only on the lines and the spec. Words, characters: types
/// that occur at least min_count times, by descending count, then by bytes. spec.file and spec.vocab are loaded instead of
/// training (see readTokenizer). Throws Error(InvalidInput) when the lines do not suffice for the spec.
std::shared_ptr<const Tokenizer> trainTokenizer(const std::vector<std::string>& lines, const TokenizerSpec& spec);

/// Returns all bytes of a file that a run depends on. Throws Error(InvalidInput), naming both hashes, when its SHA-256 differs
/// from `recorded`. An empty `recorded` means that the run recorded no hash.
std::string readRecordedFile(const std::string& path, const std::string& recorded);

/// Restores a tokenizer from saved(); `where` is for the error.
std::shared_ptr<const Tokenizer> tokenizerFromSaved(const std::string& saved, const std::string& where);

/// Loads the file of save(); throws Error(InvalidInput) naming the file, also when its SHA-256 differs from `recorded` (empty:
/// not checked).
std::shared_ptr<const Tokenizer> loadTokenizer(const std::string& folder, const std::string& name,
                                               const std::string& recorded = {});

/// Loads any file: one saved by Heddle, a publisher's SentencePiece model or tokenizer.json, or a vocab.txt (has a line
/// "[UNK]"). Adds <mask> if spec.mask. spec.lower applies to files that do not state it, and is an error for a file that states
/// the opposite.
std::shared_ptr<const Tokenizer> readTokenizer(const std::string& path, const TokenizerSpec& spec);

/// The file of spec.file or spec.vocab; empty: the tokenizer is trained.
const std::string& givenFile(const TokenizerSpec& spec);

/// Word splitting of `tokenizer.split`: whitespace (Unicode), or sacreBLEU's 13a; and the inverse: single spaces, or
/// detokenized text that splits into the same words.
std::vector<std::string> splitWords(const std::string& line, WordSplit split);
std::string joinWords(const std::vector<std::string>& words, WordSplit split);

}  // namespace heddle
