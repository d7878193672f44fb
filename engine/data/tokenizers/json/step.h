// SPDX-License-Identifier: Apache-2.0
// The steps of a tokenizer.json of Hugging Face's `tokenizers` that turn a line into words. Each reader refuses what it does
// not support, by its name.
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/tokenizers/json/origin_text.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// A step of the normaliser. Pure and thread-safe.
using Normalise = std::function<OriginText(OriginText)>;
/// A step of the pre-tokenizer: splits a text into words without those that are empty. Pure and thread-safe.
using SplitText = std::function<void(OriginText, std::vector<OriginText>&)>;

/// BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace (a string, or the pattern " {2,}"),
/// Precompiled, Sequence; null: none. Throws Error(InvalidInput) naming `where`.
Normalise readNormaliser(const Json& document, const std::string& where);

/// BertPreTokenizer, Whitespace, WhitespaceSplit, Metaspace, ByteLevel, Sequence; null: none. Throws likewise.
SplitText readSplit(const Json& document, const std::string& where);

/// The character that stands for a byte in a byte-level vocabulary (Radford et al. 2019, section 2.2; the table of GPT-2's
/// encoder.py): the printable ones of Latin-1 stand for themselves, the others are moved above U+00FF.
char32_t byteCharacter(unsigned char byte);
/// The inverse; -1: the character stands for no byte.
int characterByte(char32_t character);

/// The normaliser of SentencePiece (Kudo and Richardson 2018): the map that its models have, `base64` of a double-array trie
/// and the texts that it refers to. As `tokenizers` does, it replaces each grapheme of fewer than six bytes, or else each of
/// its characters, by the text of the shortest entry that it begins with. Throws Error(InvalidInput) for a map that refers
/// outside of itself.
Normalise readPrecompiled(const std::string& base64, const std::string& where);

/// Throws Error(InvalidInput): a part of the file is not supported.
[[noreturn]] void throwUnsupported(const std::string& what, const std::string& where);
/// Throws Error(InvalidInput): a part of the file is damaged, as `what` says.
[[noreturn]] void throwDamaged(const std::string& what, const std::string& where);

/// "type" of a step.
std::string stepType(const Json& document, const std::string& where);
/// "prepend_scheme" of a step Metaspace; older files have "add_prefix_space" in its place.
std::string prependScheme(const Json& document);

}  // namespace heddle
