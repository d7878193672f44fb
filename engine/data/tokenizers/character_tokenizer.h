// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/list_tokenizer.h"

namespace heddle {

/// Unicode characters (code points). A run of white space is one token " ". It is dropped at the ends of a line and between two
/// Chinese or Japanese characters (including punctuation and full-width forms); otherwise decoding restores the text.
const ListForm& characterForm();

}  // namespace heddle
