// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/data/tokenizers/tokenizer.h"

namespace heddle {

/// How lines become the entries of a list, and back: what makes words of words and characters of characters.
struct ListForm {
    const char* kind;     ///< value of TokenizerSpec::kind
    const char* schema;   ///< of the saved form
    const char* entries;  ///< its member with the entries, in the order of their ids
    const char* entry;    ///< one of them, for messages
    bool namesSplit;      ///< the saved form has TokenizerSpec::split
    std::vector<std::string> (*split)(const std::string& line, const TokenizerSpec& spec);  ///< `line` is lowered where told
    std::string (*join)(const std::vector<std::string>& entries, const TokenizerSpec& spec);
};

/// A vocabulary of the entries that occur at least spec.minCount times. What only looks like a special is unknown. Saved form,
/// canonical JSON: {"lower","mask" if true,"min_count","schema","split" if named,<entries>:[in the order of their ids]}. `form`
/// must outlive the tokenizer.
std::shared_ptr<const Tokenizer> trainList(const ListForm& form, const std::vector<std::string>& lines,
                                           const TokenizerSpec& spec);

std::shared_ptr<const Tokenizer> listFromJson(const ListForm& form, const Json& document, const std::string& where);

}  // namespace heddle
