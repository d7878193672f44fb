// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizer.h"
#include "engine/spec/json.h"

namespace heddle {

/// A vocabulary of words. Words that only look like specials are unknown words. Saved form, canonical JSON:
/// {"lower","mask" if true,"min_count","schema":"heddle.words/1","split","words":[in the order of their ids]}.
std::shared_ptr<const Tokenizer> trainWords(const std::vector<std::string>& lines, const TokenizerSpec& spec);

std::shared_ptr<const Tokenizer> wordsFromJson(const Json& document, const std::string& where);

}  // namespace heddle
