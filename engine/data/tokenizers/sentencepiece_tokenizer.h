// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"

namespace heddle {

/// SentencePiece (Kudo and Richardson 2018), unigram or BPE, trained on one thread: equal lines and spec give equal bytes. Text
/// is normalized as NFKC, lower-cased before where spec.lower. The saved form is a plain SentencePiece model ("<name>.model").
std::shared_ptr<const Tokenizer> trainSentencePiece(const std::vector<std::string>& lines, const TokenizerSpec& spec);

/// Any model, also one that Heddle did not train: its <unk>, <pad>, <s>, </s> and mask pieces (by their roles, then by name)
/// take our ids 0…4, a missing one of the first four gets an id without a piece, and its other pieces follow in their order.
/// publisherId() is the model's own id.
std::shared_ptr<const Tokenizer> sentencePieceFromModel(const std::string& model, const std::string& where);

/// The model with the mark that text is lower-cased before it.
std::string lowerCasing(const std::string& model);

}  // namespace heddle
