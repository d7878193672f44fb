// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"

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

}  // namespace heddle
