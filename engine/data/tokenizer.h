// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// Text ↔ ids. Ids 0…3 are <unk> <pad> <sos> <eos> for every kind. Immutable, thread-safe.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    virtual std::int64_t size() const = 0;
    virtual std::vector<std::int32_t> encode(const std::string& line) const = 0;  ///< without <sos>/<eos>
    virtual std::string decode(const std::vector<std::int32_t>& ids) const = 0;   ///< joined text; <pad> <sos> <eos> left out
    virtual std::string token(std::int32_t id) const = 0;                         ///< for labels of attention maps
    virtual std::vector<std::string> tokens(const std::string& line) const = 0;   ///< as encode, as text
    virtual std::string hash() const = 0;                                         ///< SHA-256 of its saved form
    virtual void save(const std::string& folder, const std::string& name) const = 0;  ///< "<name>.json" or "<name>.model"
    virtual std::string saved() const = 0;                                            ///< the bytes that save() writes
};

inline constexpr std::int32_t kUnk = 0, kPad = 1, kSos = 2, kEos = 3;
inline constexpr std::int32_t kSpecials = 4;      ///< number of them; the first real token has this id
const std::vector<std::string>& specialTokens();  ///< "<unk>", "<pad>", "<sos>", "<eos>"

/// Trains on text lines. The result depends on the lines and the spec alone. Words: types of at least min_count, by falling
/// count, then by bytes. Throws Error(InvalidInput) when the lines cannot give what the spec asks for.
std::shared_ptr<const Tokenizer> trainTokenizer(const std::vector<std::string>& lines, const TokenizerSpec& spec);

/// From what saved() gave; `where` is for the error.
std::shared_ptr<const Tokenizer> tokenizerFromSaved(const std::string& saved, const std::string& where);

/// Loads what save() wrote; throws Error(InvalidInput) naming the file.
std::shared_ptr<const Tokenizer> loadTokenizer(const std::string& folder, const std::string& name);

/// Word splitting of `tokenizer.split`: whitespace (Unicode), or sacreBLEU's 13a; each with a tested joiner: single spaces, or
/// readable text that splits into the same words again.
std::vector<std::string> splitWords(const std::string& line, const std::string& split);
std::string joinWords(const std::vector<std::string>& words, const std::string& split);

}  // namespace heddle
