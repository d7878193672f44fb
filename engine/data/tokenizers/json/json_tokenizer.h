// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/tokenizers/tokenizer.h"

#include <memory>
#include <string>

namespace heddle {

/// The tokenizer of a tokenizer.json, the file of Hugging Face's `tokenizers`: byte-level BPE (GPT-2), WordPiece (BERT) and
/// unigram (T5, XLM-R), with the normalisers and pre-tokenizers of step.h. The ids of encode() are those of its encode()
/// without special tokens around the text, which tasks add; its post-processor, truncation and padding are not read. decode()
/// follows its decoder; with byte-level BPE it gives the text back, byte by byte.
///
/// Ids. <unk> is the model's unknown token; <pad> <sos> <eos> <mask> are the special tokens named [PAD] <pad>, [CLS] <s> <bos>,
/// [SEP] </s> <eos> <|endoftext|>, [MASK] <mask> (the first that is there). Those that the file lacks have an id of ours and no
/// publisherId(). The other tokens follow in the file's order. Saved form, canonical JSON:
/// {"mask","schema":"heddle.tokenizer_json/1","tokenizer":the file}.

/// Whether a JSON document is a tokenizer.json.
bool isTokenizerJson(const Json& document);

/// From a tokenizer.json, or from the saved form. Throws Error(InvalidInput) naming `where` and what is damaged or unsupported.
std::shared_ptr<const Tokenizer> readTokenizerJson(const Json& document, const std::string& where);

inline constexpr const char* kTokenizerJsonSchema = "heddle.tokenizer_json/1";

}  // namespace heddle
