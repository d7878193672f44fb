// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/tokenizers/tokenizer.h"

namespace heddle {

/// BERT's WordPiece (Devlin et al. 2019), equal to Hugging Face's BertTokenizer (the slow one; the fast one differs in
/// decomposed cased text and unassigned characters): bertWords(), then greedy longest-match-first: for each word the longest
/// piece that it begins with, then the longest "##" piece of the rest, and so on. A word of more than 100 characters, or one
/// without a match, is [UNK]. Special tokens in the text are recognised, in upper case only.
///
/// Ids. [UNK] [PAD] [CLS] [SEP] [MASK] are 0 1 2 3 4 (<unk> <pad> <sos> <eos> <mask>); the other entries follow in the order of
/// vocab.txt, so that the size is that of the file. publisherId() is the line of vocab.txt, from 0. Tasks encode pairs and
/// segment types. Saved form, canonical JSON:
/// {"lower","schema":"heddle.wordpiece/1","vocab":[the lines of vocab.txt]}.

/// From the lines of a vocab.txt; `where` is for the error when a special token is missing.
std::shared_ptr<const Tokenizer> wordPieceFromVocab(std::vector<std::string> vocab, const TokenizerSpec& spec,
                                                    const std::string& where);

/// Trains spec.vocabSize entries: all characters (or the most frequent ones that fit), then repeatedly merges the most frequent
/// pair of adjacent pieces, ties by the pair's bytes (byte-pair encoding of Sennrich et al. 2016 with "##" marks, as Hugging
/// Face trains BERT vocabularies). A pair that occurs fewer than spec.minCount times is not merged. Throws Error(InvalidInput)
/// when the text gives fewer pieces.
std::shared_ptr<const Tokenizer> trainWordPiece(const std::vector<std::string>& lines, const TokenizerSpec& spec);

std::shared_ptr<const Tokenizer> wordPieceFromJson(const Json& document, const std::string& where);

/// "[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", in the order of our ids.
const std::vector<std::string>& wordPieceSpecials();

inline constexpr std::size_t kLongestWordPieceWord = 100;  ///< characters
inline constexpr const char* kContinuing = "##";

}  // namespace heddle
