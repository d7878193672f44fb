// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"

namespace heddle {

/// Sentence pairs that lie in files as they are trained on: reads, checks, trains tokenizers and encodes. Training pairs with
/// an empty side or longer than data.max_tokens are left out; pairs of valid and test are all kept, cut to context.maxLen.
/// `stopRequested` is polled; when true, throws Error("stopped"). Throws Error(InvalidInput) naming file, line and column for:
/// missing file, unequal line counts, invalid UTF-8, empty corpus, NUL, lines over 16 MiB. Cache files are named by the SHA-256
/// of all that they depend on: "tokenizer-<hash>.heddlecache" and "corpus-<hash>.heddlecache"; a damaged one is made again,
/// with a note. Training files that have not changed since the cache was made (see FileIndex) are not read again.
RunData loadTranslation(const LoadContext& context);

}  // namespace heddle
