// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/list_tokenizer.h"

namespace heddle {

/// Words, as TokenizerSpec::split cuts them.
const ListForm& wordForm();

}  // namespace heddle
