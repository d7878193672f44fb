// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/dataset.h"
#include "engine/data/parallel_split.h"

namespace heddle {

/// What loading depends on, without the model; loadTranslationData() fills it from a run spec.
struct LoadOptions {
    ParallelFiles train, valid, test;  ///< valid and test may be empty
    TokenizerSpec tokenizer;
    std::int64_t maxLen = 128;   ///< positions of the model, <eos> or <sos> included
    std::int64_t maxTokens = 0;  ///< longer training pairs are left out; 0, or more than maxLen: maxLen
    std::int64_t limit = 0;      ///< first N training pairs; 0: all
};

/// loadTranslationData() for these options. An empty `cacheFolder` means no cache. Cache files are named by the SHA-256 of all
/// that they depend on: "tokenizer-<hash>.heddlecache" and "corpus-<hash>.heddlecache"; a damaged one is made again, with a
/// note. Training files that have not changed since the cache was made (see FileIndex) are not read again.
RunData loadTranslation(const LoadOptions& options, const std::string& cacheFolder, const std::function<bool()>& stopRequested);

}  // namespace heddle
