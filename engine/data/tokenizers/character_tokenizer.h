// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/list_tokenizer.h"

namespace heddle {

/// Unicode characters (code points). A run of white space is one token " ", except at the ends of a line and between two
/// characters of Chinese or Japanese writing (their punctuation and full-width forms too), where it is left out; decoding any
/// other text gives it back.
const ListForm& characterForm();

}  // namespace heddle
