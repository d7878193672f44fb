// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// Text ↔ ids. Ids 0…3 are <unk> <pad> <sos> <eos> for every kind, id 4 is <mask> where there is one. Immutable, thread-safe.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    virtual std::int64_t size() const = 0;
    virtual std::vector<std::int32_t> encode(const std::string& line) const = 0;  ///< without <sos>/<eos>
    virtual std::string decode(const std::vector<std::int32_t>& ids) const = 0;   ///< joined text; of specials only <unk> shows
    virtual std::string token(std::int32_t id) const = 0;                         ///< for labels of attention maps
    virtual std::vector<std::string> tokens(const std::string& line) const = 0;   ///< as encode, as text
    virtual std::string hash() const = 0;                                         ///< SHA-256 of its saved form
    virtual void save(const std::string& folder, const std::string& name) const = 0;  ///< "<name>.json" or "<name>.model"
    virtual std::string saved() const = 0;                                            ///< the bytes that save() writes

    /// kMask, or -1. A <mask> is never read from text (BERT's [MASK] in a wordpiece is): tasks put it between ids.
    virtual std::int32_t maskId() const { return -1; }
    /// The same with a <mask> at id 4, the ids from there moved up by one; an equal one where there is a mask already.
    virtual std::shared_ptr<const Tokenizer> withMask() const = 0;
    /// The id that the publisher's own file (vocab.txt, SentencePiece model) has for ours; -1: it has none. Ours, otherwise.
    virtual std::int32_t publisherId(std::int32_t id) const { return id; }
    /// kind, split, lower, min_count and mask as its saved form has them; the rest are defaults.
    virtual TokenizerSpec spec() const = 0;

    /// Number of specials; the first real token has this id.
    std::int32_t specials() const;
};

inline constexpr std::int32_t kUnk = 0, kPad = 1, kSos = 2, kEos = 3, kMask = 4;
inline constexpr std::int32_t kSpecials = 4;  ///< number of those that every vocabulary has: <mask> is not among them
inline constexpr const char* kMaskToken = "<mask>";
const std::vector<std::string>& specialTokens();  ///< "<unk>", "<pad>", "<sos>", "<eos>"

inline std::int32_t Tokenizer::specials() const { return maskId() < 0 ? kSpecials : kSpecials + 1; }

/// Whether white space separates the words of a text, as far as its first lines tell: false where most characters are of a
/// script without spaces (Han, kana, Thai, Lao, Khmer, Burmese) and more than 4 stand together, or more than 25 of any script
/// do.
bool hasSpaces(const std::vector<std::string>& lines);

/// Trains on text lines, with a <mask> where spec.mask. The result depends on the lines and the spec alone. Words, characters:
/// types of at least min_count, by falling count, then by bytes. spec.file and spec.vocab are read instead of training (see
/// readTokenizer). Throws Error(InvalidInput) when the lines cannot give what the spec asks for.
std::shared_ptr<const Tokenizer> trainTokenizer(const std::vector<std::string>& lines, const TokenizerSpec& spec);

/// From what saved() gave; `where` is for the error.
std::shared_ptr<const Tokenizer> tokenizerFromSaved(const std::string& saved, const std::string& where);

/// Loads what save() wrote; throws Error(InvalidInput) naming the file, also when its SHA-256 is not the recorded one (empty:
/// nothing was recorded).
std::shared_ptr<const Tokenizer> loadTokenizer(const std::string& folder, const std::string& name,
                                               const std::string& recorded = {});

/// From any file: what Heddle saved, a publisher's SentencePiece model, or a vocab.txt (one that has a line "[UNK]"). A <mask>
/// is added where spec.mask; spec.lower is for files that do not say themselves, and an error where a file says no.
std::shared_ptr<const Tokenizer> readTokenizer(const std::string& path, const TokenizerSpec& spec);

/// The file of spec.file or spec.vocab; empty: it is trained.
const std::string& givenFile(const TokenizerSpec& spec);

/// Word splitting of `tokenizer.split`: whitespace (Unicode), or sacreBLEU's 13a; each with a tested joiner: single spaces, or
/// readable text that splits into the same words again.
std::vector<std::string> splitWords(const std::string& line, const std::string& split);
std::string joinWords(const std::vector<std::string>& words, const std::string& split);

}  // namespace heddle
