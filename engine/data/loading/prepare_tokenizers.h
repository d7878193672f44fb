// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/cancellation.h"
#include "engine/data/cache/data_cache.h"
#include "engine/data/loading/run_data.h"

namespace heddle {

/// Training text of tokenizers, read only if a tokenizer must be trained.
struct TrainingText {
    using Lines = std::function<const std::vector<std::string>&()>;
    Json key;              ///< all that the lines depend on: hashes of files, a limit
    Lines source, target;  ///< no target: the task has one side
};

struct Tokenizers {
    std::shared_ptr<const Tokenizer> source, target;  ///< the same one where they are shared or there is one side
    std::vector<std::string> fileHashes;              ///< SHA-256 of the files that spec.file and spec.vocab name
    std::vector<std::string> notes;
};

/// The tokenizers of a run: those that saveTokenizers() left in folders.tokenizers; without such a folder from the spec's
/// files, from the cache, or trained and cached.
Tokenizers prepareTokenizers(const LoadContext& context, const TrainingText& text, DataCache& cache,
                             const CancellationToken& cancellation);

}  // namespace heddle
