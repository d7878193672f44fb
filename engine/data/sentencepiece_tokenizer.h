// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizer.h"

namespace heddle {

/// SentencePiece (Kudo and Richardson 2018), unigram or BPE, trained on one thread: equal lines and spec give equal bytes. Text
/// is normalized as NFKC, with case folding where spec.lower. The saved form is a plain SentencePiece model ("<name>.model").
std::shared_ptr<const Tokenizer> trainSentencePiece(const std::vector<std::string>& lines, const TokenizerSpec& spec);

std::shared_ptr<const Tokenizer> sentencePieceFromModel(const std::string& model, const std::string& where);

}  // namespace heddle
