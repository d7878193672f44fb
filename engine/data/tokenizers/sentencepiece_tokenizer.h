// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"

#include <string>
#include <string_view>

namespace heddle {

/// SentencePiece (Kudo and Richardson 2018), unigram or BPE, trained on one thread: equal lines and spec give equal bytes. Text
/// is lower-cased if spec.lower, then normalised to NFKC. The saved form is a plain SentencePiece model ("<name>.model").
std::shared_ptr<const Tokenizer> trainSentencePiece(const std::vector<std::string>& lines, const TokenizerSpec& spec);

/// Loads any SentencePiece model. Its <unk>, <pad>, <s>, </s> and mask pieces (found by role, then by name) get ids 0…4; a
/// missing one of the first four gets an id without piece. The other pieces follow in order. publisherId() is the model's own
/// id.
std::shared_ptr<const Tokenizer> sentencePieceFromModel(const std::string& model, const std::string& where);

/// The model with a field that marks its input as lower-cased.
std::string lowerCasing(const std::string& model);

/// Validates the bytes of a SentencePiece model before the library reads them without checks: version 0.1.97 builds its trie by
/// recursion over the bytes of a piece and walks the normalizer's double array without bounds checks. Throws
/// Error(InvalidInput) naming `where` for truncated fields, pieces that are longer than 1,024 bytes, not UTF-8 or without a
/// finite score, and a normalizer with out-of-range indices.
void checkSentencePieceModel(std::string_view model, const std::string& where);

}  // namespace heddle
