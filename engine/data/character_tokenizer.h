// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizer.h"
#include "engine/spec/json.h"

namespace heddle {

/// A vocabulary of Unicode characters (code points). A run of white space is one token " ", except at the ends of a line and
/// between two characters of Chinese or Japanese writing (their punctuation and full-width forms too), where it is left out;
/// decoding any other text gives it back. Saved form, canonical JSON:
/// {"characters":[in the order of their ids],"lower","mask" if true,"min_count","schema":"heddle.characters/1"}.
std::shared_ptr<const Tokenizer> trainCharacters(const std::vector<std::string>& lines, const TokenizerSpec& spec);

std::shared_ptr<const Tokenizer> charactersFromJson(const Json& document, const std::string& where);

}  // namespace heddle
