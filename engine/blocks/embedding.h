// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// Which of source table, target table and head weight are shared.
struct EmbeddingTies {
    bool sourceIsTarget = false, targetIsOutput = false;
    bool isFrozen = false;  ///< the tables are not trained and not counted
};

struct EmbeddingOptions {
    std::string scale, norm;
    double eps = 0, dropout = 0;
    std::string vectors;  ///< of frozen tables only
};

/// The options of all token embeddings, without `vectors`.
const OptionFields<EmbeddingOptions>& embeddingOptions();

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeEmbedding(const BuildContext& context, const EmbeddingOptions& o, EmbeddingTies ties);
#else
/// The common part of the descriptors: parameters, count, check.
BlockDescriptor describeEmbedding(EmbeddingTies ties);
#endif

}  // namespace heddle
