// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/list_tokenizer.h"

namespace heddle {

/// Words, split as TokenizerSpec::split says.
const ListForm& wordForm();

}  // namespace heddle
