// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/readers/parallel_split.h"

namespace heddle {

/// What loading depends on, without the model; loadTranslationData() fills it from a run spec.
struct LoadOptions {
    ParallelFiles train, valid, test;  ///< valid and test may be empty
    TokenizerSpec tokenizer;
    std::int64_t maxLen = 128;   ///< positions of the model, <eos> or <sos> included
    std::int64_t maxTokens = 0;  ///< longer training pairs are left out; 0, or more than maxLen: maxLen
    std::int64_t limit = 0;      ///< first N training pairs; 0: all
};

/// Reads, checks, trains tokenizers and encodes. Training pairs with an empty side or longer than maxTokens are left out; pairs
/// of valid and test are all kept, cut to maxLen. `stopRequested` is asked now and then; when true the call throws
/// Error("stopped"). Throws Error(InvalidInput) naming file, line and column: missing file, unequal line counts, invalid UTF-8,
/// empty corpus, NUL, lines over 16 MiB. Cache files are named by the SHA-256 of all
/// that they depend on: "tokenizer-<hash>.heddlecache" and "corpus-<hash>.heddlecache"; a damaged one is made again, with a
/// note. Training files that have not changed since the cache was made (see FileIndex) are not read again.
RunData loadTranslation(const LoadOptions& options, const DataFolders& folders, const std::function<bool()>& stopRequested);

}  // namespace heddle
