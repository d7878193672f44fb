// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/tokenizers/tokenizer.h"

namespace heddle {

/// How a list tokenizer splits lines into entries and joins them: into words or into characters.
struct ListForm {
    TokenizerKind kind;
    const char* schema;   ///< of the saved form
    const char* entries;  ///< its member that lists the entries by id
    const char* entry;    ///< name of an entry, for messages
    bool namesSplit;      ///< the saved form contains TokenizerSpec::split
    std::vector<std::string> (*split)(const std::string& line, const TokenizerSpec& spec);  ///< `line` is already lower-cased
    std::string (*join)(const std::vector<std::string>& entries, const TokenizerSpec& spec);
};

/// Words, split as TokenizerSpec::split says.
const ListForm& wordForm();

/// Unicode characters (code points). A run of white space is one token " ". It is dropped at the ends of a line and between two
/// Chinese or Japanese characters (including punctuation and full-width forms); otherwise decoding restores the text.
const ListForm& characterForm();

/// A vocabulary of the entries that occur at least spec.minCount times. Text that looks like a special token is unknown. Saved
/// form, canonical JSON: {"lower","mask" if true,"min_count","schema","split" if namesSplit,<entries>:[by id]}. `form` must
/// outlive the tokenizer.
std::shared_ptr<const Tokenizer> trainList(const ListForm& form, const std::vector<std::string>& lines,
                                           const TokenizerSpec& spec);

std::shared_ptr<const Tokenizer> listFromJson(const ListForm& form, const Json& document, const std::string& where);

}  // namespace heddle
